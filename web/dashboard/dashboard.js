// The dashboard in a page: the runs as a key, files opened onto the board, newest values, answers token by token.
// What the figures show comes with the lab's sources; everything here is words and numbers that Python wrote.

import { save } from './hand-over.js'
import { keep } from './returning.js'

/** Larger files would keep the browser's Python busy for minutes. */
const MOST_MEGABYTES = 20

/**
 * @typedef {{slot: string, title: string, origin: string, key: string, updates: string, ending: {how: string, where?: string, what?: string}, finished: boolean, cut: boolean, ignored: number}} Run
 * @typedef {{text: string, shade?: number, sign?: number, moved?: number, against?: boolean, before?: string, after?: string, product?: string}} Token
 * @typedef {{prompt: string, tokens: Token[], reward: string, advantage: string, sign: number, correct: boolean}} Answer
 * @typedef {{slot: string, update: number, text: string}} Samples text is JSON of `Written`
 * @typedef {{best: Answer[], groups: Answer[][]}} Written
 * @typedef {{runs: Run[], newest: string[][], samples: Samples[]}} Extra
 *
 * @typedef {Object} Host what the lab gives its component
 * @property {(name: string, ...parts: (string | number | Uint8Array)[]) => Promise<import('../shell/protocol.js').Reply>} desk
 * @property {() => void} again asks for the present state anew, where nothing runs
 * @property {boolean} process whether the lab goes on by itself
 * @property {() => string} query
 * @property {string} defaults
 * @property {string} language
 */

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/**
 * Brings the board to life.
 * @param {HTMLElement} root
 * @param {Host} host
 */
export function attach(root, host) {
  const words = JSON.parse(document.getElementById('component-words')?.textContent ?? '{}')
  const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (root.querySelector(selector))
  const fill = (/** @type {string} */ template, /** @type {Record<string, string>} */ values) =>
    template.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole)
  const board = find('[data-board]')
  const which = /** @type {HTMLSelectElement} */ (find('[data-which]'))
  const status = find('[data-board-status]')
  /** @type {Extra | null} */
  let shown = null
  let drawn = ''
  let picked = false

  /** @param {string[]} problems */
  const complain = problems => {
    const place = find('[data-board-problem]')
    place.textContent = problems.join(' ')
    place.hidden = problems.length === 0
  }

  /** @param {string} text @param {string} label @param {() => void} act */
  const button = (text, label, act) => {
    const made = element('button', { type: 'button', 'aria-label': label }, text)
    made.addEventListener('click', act)
    return made
  }

  /** @param {Run} run */
  const about = run => {
    const notes = [words[`origin_${run.origin}`], fill(words.updates, { updates: run.updates })]
    const { how, where, what = '' } = run.ending
    if (how) notes.push(fill(words[`ending_${how}`], { where: where ? words[`where_${where}`] : '', what }))
    if (!run.finished && run.origin === 'file') notes.push(words.unfinished)
    if (run.cut) notes.push(words.cut)
    if (run.ignored) notes.push(fill(words.ignored, { count: String(run.ignored) }))
    return notes.join(' · ')
  }

  /** @param {Run} run */
  const row = run => {
    const named = { slot: run.slot, title: run.title }
    const item = element('li', { class: `run-${run.slot.toLowerCase()}` }, element('span', { class: 'letter' }, run.slot), element('strong', {}, run.title),
      element('span', { class: 'note' }, about(run)))
    const key = run.origin === 'live' ? 'live' : run.key
    if (key && run.updates !== '0') item.append(button(words.download, fill(words.download_for, named), () => download(key, run.title)))
    if (run.key) item.append(button(words.remove, fill(words.remove_for, named), () => remove(run.key)))
    return item
  }

  /** @param {string} key @param {string} title */
  const download = async (key, title) => {
    const reply = await host.desk('download', key)
    if (reply.type !== 'file' || !reply.text) return
    save(reply.text, `${title.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^-|-$/g, '') || 'journal'}.jsonl`, 'application/x-ndjson')
  }

  /** @param {string} key */
  const remove = async key => {
    await host.desk('put_away', key)
    complain([])
    status.textContent = ''
    refresh()
    find('#board-file').focus()
  }

  /** A process is asked by the worker itself once the desk has changed. */
  const refresh = () => { if (!host.process) host.again() }

  /** @param {File[]} files */
  const open = async files => {
    /** @type {string[]} */
    const problems = []
    /** @type {string[]} */
    const opened = []
    for (const file of files) {
      const name = file.name.slice(0, 80)
      if (file.size > MOST_MEGABYTES * 1e6) {
        const size = new Intl.NumberFormat(host.language, { maximumFractionDigits: 0 }).format(file.size / 1e6)
        problems.push(fill(words.too_big, { name, size, limit: String(MOST_MEGABYTES) }))
        continue
      }
      let text
      try { text = await file.text() } catch (error) {
        problems.push(fill(words.unreadable, { name, what: String(error).slice(0, 100) }))
        continue
      }
      if (text.slice(0, 100_000).includes('\0')) { problems.push(fill(words.not_text, { name })); continue }
      const reply = await host.desk('open_file', name, text, host.language)
      if (reply.type !== 'file') { problems.push(fill(words.unreadable, { name, what: reply.type === 'failed' ? reply.what : '' })); continue }
      const answer = JSON.parse(reply.text)
      if (answer.fault) problems.push(fill(words.refused, { name, what: answer.fault }))
      else if (answer.full) problems.push(fill(words.full, { name }))
      else opened.push(answer.opened)
    }
    complain(problems)
    status.textContent = opened.length ? fill(words.opened, { titles: opened.join(', ') }) : ''
    if (opened.length) refresh()
  }

  const input = /** @type {HTMLInputElement} */ (find('#board-file'))
  input.addEventListener('change', async () => {
    await open([...(input.files ?? [])])
    input.value = ''
  })
  // The whole page takes a file: one that is dropped beside the board would else be shown in the page's place.
  const brought = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files') ?? false
  for (const kind of /** @type {const} */ (['dragenter', 'dragover'])) {
    document.addEventListener(kind, event => { if (brought(event)) { event.preventDefault(); board.dataset.drop = words.drop } })
  }
  for (const kind of ['dragleave', 'drop']) document.addEventListener(kind, () => { delete board.dataset.drop })
  document.addEventListener('drop', event => {
    if (!brought(event)) return
    event.preventDefault()
    open([...(event.dataTransfer?.files ?? [])])
  })

  /** @param {Token} token */
  const mark = token => {
    if (token.shade === undefined) return element('span', { class: 'token' }, token.text)
    const arrow = token.moved === 0 ? '' : token.moved === 1 ? '↑' : '↓'
    const made = element('span', {
      class: `token ${token.sign === 1 ? 'raised' : token.sign === -1 ? 'lowered' : ''}${token.against ? ' against' : ''}`,
      title: fill(words.token, { before: token.before ?? '', after: token.after ?? '', product: token.product ?? '' }),
    }, token.text, element('small', {}, arrow))
    made.style.setProperty('--shade', String(token.shade))
    return made
  }

  /** The answers of the chosen run; built anew only when they are others. */
  const samples = () => {
    const own = shown?.samples.find(one => one.slot === which.value)
    // Until somebody chooses, a run that has answers to show.
    const chosen = picked || (own && own.update >= 0) ? own : shown?.samples.find(one => one.update >= 0) ?? own
    if (chosen) which.value = chosen.slot
    const stamp = JSON.stringify([chosen?.slot, chosen?.update, shown?.runs.find(run => run.slot === chosen?.slot)?.title])
    if (!chosen || stamp === drawn) return
    drawn = stamp
    const { best, groups } = /** @type {Written} */ (JSON.parse(chosen.text))
    const none = chosen.update < 0
    find('[data-best-text]').textContent = none ? words.no_samples : fill(words.best_text, { update: String(chosen.update) })
    find('[data-groups-text]').textContent = none ? words.no_samples : fill(words.groups_text, { update: String(chosen.update) })
    find('[data-best]').replaceChildren(...best.map(answer => element('tr', {}, ...[
      answer.prompt, answer.tokens.map(token => token.text).join(' '), answer.reward, answer.advantage, answer.correct ? words.yes : words.no,
    ].map(text => element('td', {}, text)))))
    find('[data-groups]').replaceChildren(...groups.filter(group => group.length).map(group => element('section', {},
      element('h3', {}, group[0].prompt),
      element('ol', {}, ...group.map(answer => element('li', {},
        element('span', { class: 'tokens' }, ...answer.tokens.map(mark)),
        element('span', { class: 'number' }, `${words.advantage} ${answer.advantage}`),
        element('span', { class: 'number' }, answer.correct ? '✓' : '✗')))))))
  }
  which.addEventListener('change', () => { picked = true; samples() })

  let listed = ''
  let tabled = ''
  /** @param {Extra} extra */
  const show = extra => {
    if (extra.runs[0]?.finished && !shown?.runs[0]?.finished) kept?.look()
    shown = extra
    const list = JSON.stringify(extra.runs.map(run => [run.slot, run.title, run.origin, run.key, run.updates !== '0']))
    if (list === listed) {
      // Only the words change while a run goes on: a button that somebody is about to press stays where it is.
      find('[data-runs]').querySelectorAll('.note').forEach((note, index) => { note.textContent = about(extra.runs[index]) })
    } else {
      listed = list
      find('[data-runs]').replaceChildren(...extra.runs.map(row))
      const slots = extra.runs.map(run => run.slot)
      if ([...which.options].map(option => option.value).join() !== slots.join()) {
        const before = which.value
        which.replaceChildren(...slots.map(slot => element('option', {}, slot)))
        if (slots.includes(before)) which.value = before
      }
    }
    const details = /** @type {HTMLDetailsElement} */ (find('.board-newest'))
    const table = details.open ? JSON.stringify(extra.newest) : tabled
    if (table !== tabled) {
      tabled = table
      const head = [words.metric, words.where, ...extra.runs.map(run => run.slot)].map(text => element('th', { scope: 'col' }, text))
      find('[data-newest] thead').replaceChildren(element('tr', {}, ...head))
      find('[data-newest] tbody').replaceChildren(...extra.newest.map(([, name, place, ...values]) => element('tr', {},
        ...[words.names[name] ?? name, words[`where_${place}`], ...values].map(text => element('td', {}, text)))))
    }
    samples()
  }
  find('.board-newest').addEventListener('toggle', () => { if (shown) show(shown) })

  const kept = host.process ? keep(host, { words, fill, status, complain }) : null
  return {
    show,
    /** What is to be asked first: a run from an earlier visit may have its own address. @param {string} query */
    before: async query => (kept ? kept.before(query) : query),
  }
}
