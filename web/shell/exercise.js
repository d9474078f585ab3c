// One exercise in the page: the learner's text and its keeping, running and checking it, hints, and the solution.

import { chart } from './chart.js'
import { Runner } from './runner.js'
import { follow, kept, keep } from './keep.js'
import * as progress from './progress.js'

/** @typedef {import('./runner.js').Ending} Ending */
/** @typedef {import('./runner.js').Fault} Fault */
/** @typedef {{replace: (text: string) => void, undo: () => boolean, focus: () => void, mark: (line: number | null) => void,
 *   go: (line: number) => void}} Editor */

const root = /** @type {HTMLElement} */ (document.getElementById('exercise'))
const { exercise: name = '', language = 'en' } = root.dataset
const words = JSON.parse(document.getElementById('exercise-words')?.textContent ?? '{}')
const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (root.querySelector(selector))
const every = (/** @type {string} */ selector) => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)])
const button = (/** @type {string} */ action) => /** @type {HTMLButtonElement} */ (find(`[data-action=${action}]`))
const fill = (/** @type {string} */ template, /** @type {Record<string, string | number>} */ values) =>
  template.replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole))

const area = /** @type {HTMLTextAreaElement} */ (find('textarea'))
const starter = area.defaultValue
/** @type {Editor | null} */
let editor = null
const runner = new Runner()
/** @type {Promise<{solution: string, task: unknown}> | null} */
let asked = null

// ---- what is kept on the device

let { text = starter, hints = 0 } = kept(name)
if (text === starter) text = area.value // typed before this script came
area.value = text

function save() {
  if (!keep(name, { text, hints })) find('[data-unkept]').hidden = false
}

/** @param {string} next */
function changed(next) {
  if (next === text) return
  text = next
  save()
  button('reset').disabled = text === starter
}
area.addEventListener('input', () => changed(area.value))

// One exercise in two tabs is one text: kept by the tab in which it is written, and only shown by the other.
follow(name, work => {
  const { text: theirs = text, hints: opened = 0 } = work
  if (theirs !== text) {
    text = theirs
    write(theirs)
    button('reset').disabled = text === starter
  }
  hints = Math.max(hints, opened)
  ready()
})

/** @param {string} next */
function write(next) {
  if (editor) editor.replace(next)
  else { area.value = next; changed(next) }
}

// ---- the editor, which the page can do without

async function dress() {
  try {
    const { createEditor } = await import(new URL('editor.js', import.meta.url).href)
    const focused = document.activeElement === area
    const place = find('[data-editor]')
    editor = createEditor({
      parent: place, text, label: words.editor, described: 'editor-keys', changed,
      keys: { 'Mod-Enter': () => act('run'), 'Shift-Mod-Enter': () => act('check'), 'Mod-s': save },
    })
    area.hidden = true
    find('[data-keys]').hidden = false
    if (focused) editor?.focus()
    root.dataset.editor = 'shown'
  } catch (error) {
    console.warn('the plain text field stays', error)
    root.dataset.editor = 'plain'
  }
}
area.addEventListener('keydown', event => {
  if (!(event.ctrlKey || event.metaKey) || event.key !== 'Enter') return
  event.preventDefault()
  act(event.shiftKey ? 'check' : 'run')
})

// ---- running

let busy = false
const state = find('[data-state]')
const output = find('[data-output]')

/** @param {string} message */
function say(message) { state.textContent = message }

/** @param {boolean} now */
function working(now) {
  busy = now
  button('run').disabled = button('check').disabled = now
  button('stop').hidden = !now
  root.toggleAttribute('data-busy', now)
}

/** The right results come only when somebody asks. */
function data() {
  const path = root.dataset.task ?? '', file = path.split('/').pop()
  asked ??= fetch(path).catch(() => { throw new Error(file) }).then(response => {
    if (!response.ok) throw new Error(`${file}, ${response.status}`)
    return response.json()
  })
  asked.catch(() => { asked = null })
  return asked
}

/** @param {boolean} checking */
async function run(checking) {
  if (busy) return
  working(true)
  clear()
  const seconds = Number(/** @type {HTMLSelectElement} */ (find('select')).value)
  say(words.starting)
  /** @type {Ending} */
  let ending
  try {
    const request = checking ? { source: text, task: (await data()).task } : { source: text }
    const slow = runner.warm().then(() => { if (busy) say(checking ? words.checking : words.running) })
    slow.catch(() => {})
    ending = await runner.run(request, seconds, told => { output.hidden = false; output.textContent += told })
  } catch (error) {
    ending = { status: 'failed', detail: String(error instanceof Error ? error.message : error) }
  }
  working(false)
  show(ending, seconds, checking)
}

function clear() {
  editor?.mark(null)
  output.textContent = ''
  output.hidden = true
  find('[data-plots]').replaceChildren()
  find('[data-fault]').hidden = true
  find('[data-result]').hidden = true
  for (const one of every('[data-mistake]')) one.hidden = true
  for (const one of every('[data-check]')) {
    one.removeAttribute('data-outcome')
    one.querySelector('.detail')?.remove()
    if (one.hasAttribute('data-secret')) one.hidden = true
  }
}

/** @param {Ending} ending @param {number} seconds @param {boolean} checking */
function show(ending, seconds, checking) {
  say('')
  if (ending.status !== 'done') {
    problem(fill(words[`end_${ending.status}`], { seconds, what: 'detail' in ending ? ending.detail : '' }), null)
    return
  }
  const { report } = ending
  output.textContent = report.output
  output.hidden = report.output === ''
  const picture = chart(report.plots, language, words.chart, find('[data-plots]').clientWidth)
  if (picture) find('[data-plots]').append(picture)
  if (report.error) problem(explain(report.error), report.error.line)
  else if (!checking) say(report.output || picture ? words.ran : words.ran_silent)
  if (report.verdict) judged(report.verdict, report.error !== null)
}

/** @param {Fault} error */
function explain(error) {
  const template = words[`error_${error.kind}`] ?? words.error_exception
  const said = fill(template, { type: error.type, text: error.text })
  return error.line === null ? said : `${fill(words.error_line, { line: error.line })} ${said}`
}

/** @param {string} message @param {number | null} line */
function problem(message, line) {
  const place = find('[data-fault]')
  place.replaceChildren(message)
  place.hidden = false
  if (line === null) return
  editor?.mark(line)
  if (!editor) return
  const go = document.createElement('button')
  go.type = 'button'
  go.textContent = fill(words.go, { line })
  go.addEventListener('click', () => editor?.go(line))
  place.append(' ', go)
}

/** @param {NonNullable<import('./runner.js').Report['verdict']>} verdict @param {boolean} unloaded */
function judged(verdict, unloaded) {
  const right = verdict.checks.filter(one => one.passed).length
  const whole = right === verdict.checks.length
  const { tries = 0, solved = false } = progress.get('exercises', name) ?? {}
  progress.set('exercises', name, { tries: tries + 1, solved: solved || whole })
  ready()
  if (unloaded) return
  // The details of one failure are enough to work on.
  const failed = verdict.checks.filter(one => !one.passed)
  const told = failed.find(one => !one.hidden) ?? failed[0]
  for (const result of verdict.checks) {
    const entry = find(`[data-check=${result.name}]`)
    entry.hidden = false
    entry.dataset.outcome = result.passed ? 'passed' : 'failed'
    find(`[data-check=${result.name}] .mark-text`).textContent = result.passed ? words.passed : words.failed
    if (result === told) entry.append(detail(result))
  }
  const mistake = verdict.mistake === null ? null : root.querySelector(`[data-mistake=${verdict.mistake}]`)
  if (mistake instanceof HTMLElement) mistake.hidden = false
  const result = find('[data-result]')
  result.textContent = whole ? words.all_passed : fill(words.some_passed, { right, all: verdict.checks.length })
  result.dataset.outcome = whole ? 'passed' : 'failed'
  result.hidden = false
}

/** @param {import('./runner.js').CheckResult} result */
function detail(result) {
  const place = document.createElement('div')
  place.className = 'detail'
  const lines = [result.why === 'error' && result.error ? explain(result.error) : words[`why_${result.why}`] ?? '']
  if (result.why === 'error' && result.error?.line) editor?.mark(result.error.line)
  if (result.call) {
    const list = document.createElement('dl')
    for (const [label, value] of [[words.call, result.call], [words.expected, result.expected], [words.got, result.got]]) {
      if (value === undefined) continue
      const term = document.createElement('dt')
      const said = document.createElement('dd')
      const code = document.createElement('code')
      term.textContent = label ?? ''
      code.textContent = value
      said.append(code)
      list.append(term, said)
    }
    place.append(list)
  }
  const said = document.createElement('p')
  said.textContent = lines.join(' ')
  place.prepend(said)
  return place
}

// ---- hints, solution, reset

function ready() {
  every('[data-hint]').forEach((hint, index) => { hint.hidden = index >= hints })
  const all = every('[data-hint]').length
  const more = button('hint')
  more.textContent = hints < all ? fill(words.hint, { next: hints + 1, all }) : words.hints_over
  more.disabled = hints >= all
  find('[data-hints]').hidden = hints === 0
  const { tries = 0, solved = false } = progress.get('exercises', name) ?? {}
  button('solution').disabled = tries === 0
  find('[data-solution-note]').hidden = tries > 0
  find('[data-passed]').hidden = !solved
}

/** @type {Record<string, () => void>} */
const actions = {
  run: () => void run(false),
  check: () => void run(true),
  stop: () => runner.stop(),
  hint() {
    hints += 1
    save()
    ready()
    every('[data-hint]')[hints - 1]?.focus()
  },
  reset() {
    const before = text
    write(starter)
    const back = button('undo')
    back.hidden = false
    back.onclick = event => {
      event.stopPropagation()
      write(before)
      back.hidden = true
      editor?.focus()
    }
    back.focus()
  },
  async solution() {
    const place = find('[data-solution]')
    try {
      find('[data-solution] code').textContent = (await data()).solution
      place.hidden = false
      place.focus()
    } catch (error) {
      problem(fill(words.end_failed, { what: String(error instanceof Error ? error.message : error) }), null)
    }
  },
}

/** @param {string} action */
function act(action) { actions[action]?.() }

root.addEventListener('click', event => {
  const pressed = /** @type {Element} */ (event.target).closest('[data-action]')
  if (pressed instanceof HTMLElement) act(pressed.dataset.action ?? '')
})

if (document.body.classList.contains('page-embed') && parent !== window) {
  new ResizeObserver(() => {
    parent.postMessage({ type: 'rlvr-lab:height', height: document.body.scrollHeight }, '*')
  }).observe(document.body)
}

// ---- begin: the text is there already; the editor and Python follow

for (const one of every('[data-scripted]')) one.hidden = false
ready()
save()
button('reset').disabled = text === starter
root.dataset.ready = ''
await dress()
root.addEventListener('keydown', () => { runner.reserve().catch(() => {}) }, { once: true })
const warm = () => runner.warm().then(() => { root.dataset.python = 'ready' }, () => {})
if ('requestIdleCallback' in window) requestIdleCallback(() => void warm(), { timeout: 3000 })
else setTimeout(warm, 500)
