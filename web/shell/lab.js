// One lab in the page: its states, its answers from Python, its address and undo.

import { copies } from './copies.js'
import { Figures } from './figures.js'
import { predict } from './predict.js'
import { attach } from './process.js'
import { ask, start, watch } from './python.js'

/** @typedef {import('./protocol.js').Shown} Shown */
/** @typedef {import('./protocol.js').Written} Written */

const root = /** @type {HTMLElement} */ (document.getElementById('lab'))
const words = JSON.parse(document.getElementById('lab-words')?.textContent ?? '{}')
const { lab = '', language = 'en', defaults = '' } = root.dataset
const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (root.querySelector(selector))
const fill = (/** @type {string} */ template, /** @type {Record<string, string>} */ values) =>
  template.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole)
const megabytes = (/** @type {number} */ bytes) =>
  new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(bytes / 1e6)

/** @type {Figures | null} */
let figures = null
let python = false
/** The permalink's query of the state on screen; at first the address's own. */
let query = location.search.slice(1).replace(/(^|&)(hide|lock)=[^&]*/g, '').replace(/^&/, '') || defaults
/** States to return to, oldest first; changes that follow one another within a moment count as one. */
/** @type {string[]} */
const past = []
let lastChange = 0
/** What is to be asked next: an address to open, or the controls as they stand. The latest wins. */
/** @type {{open?: string, undoable?: boolean} | null} */
let wanted = { open: location.search.slice(1) || defaults }
let busy = false
let prepared = false
/** The learner's own changes are told from ours by this. */
let quiet = false
/** What a teacher's address hides and locks, and the same as the end of a query, to be written into every link. */
const teacher = { hide: listed('hide'), lock: listed('lock') }
const teaching = Object.entries(teacher).filter(([, names]) => names.length).map(([key, names]) => `${key}=${names.join(',')}`).join('&')
/** The query that an address shows: without the state where that is the default. @param {string} state */
const search = state => [state === defaults ? '' : state, teaching].filter(Boolean).join('&')
/** @param {string} path */
function fileName(path) { return path.split('/').pop() ?? path }
/** @param {string} key */
function listed(key) { return new URLSearchParams(location.search).getAll(key).flatMap(names => names.split(',')).filter(Boolean).slice(0, 40) }
/** Controls changed before Python came, kept while the address is opened. */
/** @type {Record<string, unknown>} */
const early = {}

/** Further parts of the page that a lab has for itself. @type {{show: (extra: any) => void, before: (query: string) => Promise<string>} | null} */
let component = null

/** The buttons of a lab that goes on by itself; null for the others. */
const process = attach(root, words, { show: written, problem, again: () => { wanted ??= {}; next() } })

// ---- states: loading, ready, failed

const bar = find('[data-state]')
watch(state => {
  root.dataset.python = state.name
  python = state.name === 'ready'
  const [label, progress, retry] = /** @type {[HTMLElement, HTMLProgressElement, HTMLButtonElement]} */ ([...bar.children])
  bar.hidden = python
  progress.hidden = state.name !== 'loading'
  retry.hidden = state.name !== 'failed'
  if (state.name === 'loading') {
    const template = state.stage === 'start' ? words.state_start : words.state_download
    progress.value = state.total ? Math.min(1, state.done / state.total) : 0
    label.textContent = fill(template, { done: megabytes(Math.min(state.done, state.total)), total: megabytes(state.total) })
  }
  if (state.name === 'failed') label.textContent = fill(state.stage === 'download' ? words.failed_download : words.failed_start, { what: state.what })
  for (const button of root.querySelectorAll('button[data-action]')) {
    if (!['undo', 'reset'].includes(/** @type {HTMLElement} */ (button).dataset.action ?? '')) /** @type {HTMLButtonElement} */ (button).disabled = !python
  }
  if (python) next()
})
bar.querySelector('button')?.addEventListener('click', () => {
  wanted ??= { open: query }
  start()
})

/** @param {string} text @param {() => void} [again] what a button beside the text tries once more */
function problem(text, again) {
  const place = find('[data-problem]')
  place.textContent = text
  place.hidden = text === ''
  missed = again ?? null
  if (!again) return
  const retry = document.createElement('button')
  retry.type = 'button'
  retry.textContent = words.retry
  retry.addEventListener('click', () => missed?.())
  place.append(' ', retry)
}

/** What a lost network kept from being done. @type {(() => void) | null} */
let missed = null
window.addEventListener('online', () => missed?.())

// ---- asking Python: one request in flight, the latest wins

async function next() {
  if (!python || !figures || busy || !wanted) return
  busy = true
  if (component && !prepared) {
    prepared = true
    const before = await component.before(query).catch(() => query)
    if (wanted?.open === query) wanted.open = before
  }
  const { open, undoable } = wanted
  wanted = null
  const values = figures.values()
  const begin = process?.begin()
  const reply = await ask(open === undefined ? { type: 'set', lab, language, controls: values, begin } : { type: 'open', lab, language, query: open, begin })
  busy = false
  if (!process) root.removeAttribute('data-awaiting')
  if (reply.type === 'shown') {
    // A fault in showing one state must not keep the following ones from being asked for.
    try {
      if (!reply.shown.fault) process?.began(reply.id)
      show(reply.shown, open !== undefined, undoable)
    } catch (error) {
      console.error(error)
      problem(fill(words.failed_compute, { what: String(error).slice(0, 120) }))
    }
  } else if (reply.type === 'failed' && reply.stage === 'download' && python) {
    problem(fill(words.failed_file, { what: reply.what }), () => { problem(''); wanted ??= { open, undoable }; next() })
  } else if (reply.type === 'failed' && reply.stage === 'compute') problem(fill(words.failed_compute, { what: reply.what }))
  else wanted ??= { open, undoable } // the worker went away: asked again after the restart
  next()
}

/**
 * @param {Shown} shown
 * @param {boolean} opened whether the controls follow the answer, not the other way round
 * @param {boolean} [undoable]
 */
function show(shown, opened, undoable) {
  figures?.blame(shown.fault ? shown.field ?? '' : '', shown.fault)
  if (shown.fault) { problem(shown.fault); return }
  problem((shown.problems ?? []).join(' '))
  if (shown.sources) written(/** @type {Written} */ (shown))
  if (undoable) remember()
  query = shown.query
  quiet = true
  figures?.settle(shown.controls)
  quiet = false
  matter(shown.controls)
  if (opened && !wanted) {
    quiet = true
    figures?.set({ ...shown.controls, ...early })
    quiet = false
    if (Object.keys(early).length) { wanted = {}; for (const name of Object.keys(early)) delete early[name] }
  }
  address()
}

/** What Python wrote of a state, into figures and words. @param {Written} shown */
function written(shown) {
  const drawn = process || component ? figures?.spread(shown.sources) : figures?.feed(shown.sources)
  if (shown.extra) component?.show(JSON.parse(shown.extra))
  find('[data-summary]').textContent = shown.summary
  speak(shown.summary)
  find('[data-substituted]').textContent = shown.substituted
  root.querySelectorAll('[data-text]').forEach((place, index) => { place.textContent = shown.texts[index] })
  root.querySelectorAll('[data-readout]').forEach((place, index) => { place.textContent = shown.readouts[index] })
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (root.querySelectorAll('a[data-onward]'))) {
    link.search = shown.onward[link.dataset.onward ?? ''] ?? ''
  }
  rows(shown.table)
  return drawn
}

let tabled = ''
/** @param {string[][]} table */
function rows(table) {
  const stamp = JSON.stringify(table)
  if (stamp === tabled) return
  tabled = stamp
  const body = find('[data-table]')
  const head = body.closest('table')?.tHead?.rows[0]
  while (body.children.length > table.length) body.lastChild?.remove()
  table.forEach((cells, index) => {
    const row = body.children[index] ?? body.appendChild(document.createElement('tr'))
    while (row.children.length < cells.length) row.append(document.createElement('td'))
    cells.forEach((cell, column) => {
      row.children[column].textContent = cell
      row.children[column].classList.toggle('said', head?.cells[column]?.classList.contains('said'))
    })
  })
}

/** Shows the controls that matter in this state and that no teacher hides. @param {Record<string, unknown>} controls */
function matter(controls) {
  for (const slot of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.slot'))) {
    const name = slot.dataset.root?.slice('control:'.length) ?? ''
    /** @type {[string, unknown[]][]} */
    const rule = Object.entries(JSON.parse(slot.dataset.when ?? '{}'))
    slot.hidden = teacher.hide.includes(name) || !rule.every(([other, values]) => values.includes(controls[other]))
  }
  for (const group of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.group'))) {
    group.hidden = !group.querySelector('.slot:not([hidden])')
  }
}

let speaking = 0
/** A screen reader hears where a movement ended, not every step of it. @param {string} text */
function speak(text) {
  clearTimeout(speaking)
  speaking = setTimeout(() => { find('[data-spoken]').textContent = text }, 700)
}

// ---- the address holds the state, so that a reload, a link and the other language lose nothing

let addressing = 0
function address() {
  clearTimeout(addressing)
  addressing = setTimeout(() => {
    // Browsers limit how often this may be called, and a sandboxed frame may refuse it.
    const shown = search(query)
    try { history.replaceState(null, '', location.pathname + (shown && `?${shown}`) + location.hash) } catch { /* the state lives on in the page */ }
  }, 250)
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a[data-keeps-state]'))) {
    const url = new URL(link.href)
    url.search = search(query)
    link.href = url.href
  }
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a[data-try]'))) {
    if (link.dataset.at === query) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
  button('undo').disabled = past.length === 0
  button('reset').disabled = query === defaults
}

function remember() {
  if (past[past.length - 1] !== query && query !== '') past.push(query)
  if (past.length > 100) past.shift()
}

// ---- what a learner does

/** @param {string} name */
function button(name) { return /** @type {HTMLButtonElement} */ (find(`[data-action="${name}"]`)) }

/** @param {string} name @param {unknown} value */
function changed(name, value) {
  if (quiet) return
  const now = performance.now()
  if (now - lastChange > 800) remember()
  lastChange = now
  fillIn(name, value)
  matter(figures?.values() ?? {})
  if (!python && wanted?.open !== undefined) early[name] = value
  else wanted = {}
  next()
}

/** Some choices set other controls. @param {string} name @param {unknown} value */
function fillIn(name, value) {
  const text = find(`[data-root="control:${name}"]`).dataset.fill
  if (!text) return
  const states = JSON.parse(text)
  quiet = true
  figures?.set(Object.fromEntries(Object.entries({ ...states[''], ...states[String(value)] }).filter(([one]) => !teacher.lock.includes(one))))
  quiet = false
}

/** @param {string} to */
function open(to, undoable = true) {
  const kept = new URLSearchParams(query), asked = new URLSearchParams(to)
  // What a teacher locked stays, whatever a preset says of it.
  for (const name of teacher.lock) { if (kept.has(name)) asked.set(name, kept.get(name) ?? '') }
  wanted = { open: String(asked), undoable }
  next()
}

/** @type {Record<string, (event: Event) => void>} */
const actions = {
  undo: () => { const last = past.pop(); if (last !== undefined) open(last, false) },
  reset: () => open(defaults),
  ...copies(root, words, { query: () => query, teaching, problem }),
}
root.addEventListener('click', event => {
  const pressed = /** @type {Element} */ (event.target).closest('[data-action]')
  if (pressed instanceof HTMLElement) actions[pressed.dataset.action ?? '']?.(event)
})
document.addEventListener('click', event => {
  const link = /** @type {Element} */ (event.target).closest('a[data-try]')
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  open(link.search.slice(1))
  root.scrollIntoView({ block: 'start' })
})
root.addEventListener('keydown', event => {
  const at = event.composedPath()[0]
  // In a text the key takes back what was typed there.
  const typing = at instanceof HTMLTextAreaElement || (at instanceof HTMLInputElement && at.type === 'text')
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !event.shiftKey && !typing) {
    event.preventDefault()
    actions.undo(event)
  }
})
find('.lab-controls').addEventListener('submit', event => event.preventDefault())

predict(root, words, open)

// ---- an embed tells its parent how tall it is

if (document.body.classList.contains('page-embed') && parent !== window) {
  new ResizeObserver(() => {
    parent.postMessage({ type: 'rlvr-lab:height', height: document.body.scrollHeight }, '*')
  }).observe(document.body)
}

// ---- begin

if (query !== defaults) root.setAttribute('data-awaiting', '')
try {
  const path = root.dataset.document ?? ''
  const response = await fetch(path).catch(() => { throw new Error(fileName(path)) })
  if (!response.ok) throw new Error(`${fileName(path)}, ${response.status}`)
  const shown = await Figures.show(await response.json(), root)
  if (root.dataset.component) {
    const script = `${root.dataset.component}.js`
    const { attach: build } = await import(`./${script}`).catch(() => { throw new Error(script) })
    component = build(root, {
      desk: (/** @type {string} */ name, /** @type {any[]} */ ...parts) => ask({ type: 'desk', lab, language, name, parts }),
      again: () => { wanted ??= {}; next() },
      process: process !== null,
      query: () => query,
      defaults,
      language,
    })
  }
  figures = shown
  root.dataset.figures = 'shown'
  // Nobody reads by keys in the first moments: what they need is fetched when there is nothing else to do.
  const later = window.requestIdleCallback ?? setTimeout
  later(() => { import('./reading.js').then(({ attach: read }) => read(root, shown.views, words)).catch(console.error) })
  figures.watch(changed)
  figures.lock(teacher.lock)
  matter(figures.values())
  next()
} catch (error) {
  const what = String(error instanceof Error ? error.message : error).slice(0, 120)
  problem(fill(words.failed_figures, { what }))
  document.dispatchEvent(new CustomEvent('lost', { detail: what }))
}
