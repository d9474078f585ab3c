// What the learner has done, kept on this device only: steps, questions and exercises, in one versioned entry of the store.
//
//     import * as progress from './progress.js'
//     progress.get('exercises', 'p_info')                          { tries: 2, solved: true, at: '2026-08-05' } or undefined
//     progress.set('exercises', 'p_info', { tries: 3, solved: true })     merged into what is known
//     progress.watch((all, problem) => ...)                        now and after every change, here or in another tab
//
// A full, blocked or damaged store never stops a page: results then last as long as the page, and `problem` says why.

/**
 * @typedef {'steps' | 'checks' | 'exercises'} Kind
 * @typedef {{tries?: number, solved?: boolean, shown?: boolean, read?: boolean, at?: string}} Result
 * @typedef {{version: number, steps: Record<string, Result>, checks: Record<string, Result>, exercises: Record<string, Result>, last: string}} Progress
 * @typedef {'' | 'blocked' | 'full' | 'damaged' | 'newer'} Problem
 */

export const VERSION = 1
const KEY = 'rlvr-lab:progress'
const KINDS = /** @type {const} */ (['steps', 'checks', 'exercises'])
const MOST = 2000 // entries of a kind, far beyond what the course has
/** What turns an older version into the next one. @type {Record<number, (old: any) => any>} */
const MIGRATIONS = {
  // The first trial kept the list of solved questions only.
  0: old => ({ version: 1, checks: Object.fromEntries((old.solved ?? []).map((/** @type {string} */ id) => [id, { solved: true, tries: 1 }])) }),
}

/** @type {Problem} */
let problem = ''
/** @type {Set<(all: Progress, problem: Problem) => void>} */
const watchers = new Set()
let state = load()

/** @returns {Progress} */
function empty() {
  return { version: VERSION, steps: {}, checks: {}, exercises: {}, last: '' }
}

/**
 * Reads progress from a text; whatever in it is not progress is left out.
 * @param {string} text
 * @returns {{progress: Progress, left: number} | 'damaged' | 'newer'}
 */
export function parse(text) {
  let data
  try { data = JSON.parse(text) } catch { return 'damaged' }
  if (typeof data !== 'object' || data === null || Array.isArray(data) || !Number.isInteger(data.version)) return 'damaged'
  if (data.version > VERSION) return 'newer'
  try { while (data.version < VERSION) data = MIGRATIONS[data.version](data) } catch { return 'damaged' }
  const progress = empty()
  let left = 0
  for (const kind of KINDS) {
    for (const [id, result] of Object.entries(data[kind] ?? {}).slice(0, MOST)) {
      const clean = checked(result)
      if (clean && /^[\w/-]{1,80}$/.test(id)) progress[kind][id] = clean
      else left += 1
    }
  }
  if (typeof data.last === 'string' && /^[\w/-]{1,80}$/.test(data.last)) progress.last = data.last
  return { progress, left }
}

/** @param {unknown} result @returns {Result | null} */
function checked(result) {
  if (typeof result !== 'object' || result === null) return null
  const { tries, solved, shown, read, at } = /** @type {Record<string, unknown>} */ (result)
  return {
    ...(Number.isInteger(tries) && /** @type {number} */ (tries) >= 0 ? { tries: /** @type {number} */ (tries) } : {}),
    ...(typeof solved === 'boolean' ? { solved } : {}),
    ...(typeof shown === 'boolean' ? { shown } : {}),
    ...(typeof read === 'boolean' ? { read } : {}),
    ...(typeof at === 'string' && /^\d{4}-\d\d-\d\d$/.test(at) ? { at } : {}),
  }
}

/** @returns {Progress} */
function load() {
  let text
  try { text = localStorage.getItem(KEY) } catch { problem = 'blocked'; return empty() }
  if (text === null) return empty()
  const found = parse(text)
  if (typeof found === 'object') return found.progress
  problem = found
  // What could not be read is kept aside: somebody may still make sense of it.
  if (found === 'damaged') { try { localStorage.setItem(`${KEY}:damaged`, text) } catch { /* then it is lost with the entry */ } }
  return empty()
}

function store() {
  if (problem === 'blocked' || problem === 'newer') return
  try {
    localStorage.setItem(KEY, JSON.stringify(state))
    if (problem === 'full') problem = ''
  } catch { problem = 'full' }
}

function tell() {
  for (const watcher of watchers) watcher(state, problem)
}

/** @param {Kind} kind @param {string} id @returns {Result | undefined} */
export function get(kind, id) { return state[kind][id] }

/**
 * Merges a result into what is known; the day is noted.
 * @param {Kind} kind @param {string} id @param {Result} result
 */
export function set(kind, id, result) {
  fresh()
  const at = new Date().toISOString().slice(0, 10)
  state[kind][id] = { ...state[kind][id], ...result, at }
  store()
  tell()
}

/** Notes where the learner is. @param {string} step */
export function visit(step) {
  fresh()
  state.last = step
  store()
}

/** Another tab may have written since. */
function fresh() {
  if (problem) return
  const now = load()
  if (!problem) state = now
}

/** @param {(all: Progress, problem: Problem) => void} watcher */
export function watch(watcher) {
  watchers.add(watcher)
  watcher(state, problem)
}

/** Everything as the text of a file. */
export function save() { return `${JSON.stringify(state, null, 1)}\n` }

/**
 * Adds what a file holds: of two results the one that went further is kept.
 * @param {string} text
 * @returns {{left: number} | 'damaged' | 'newer'}
 */
export function merge(text) {
  const found = parse(text)
  if (typeof found !== 'object') return found
  fresh()
  for (const kind of KINDS) {
    for (const [id, other] of Object.entries(found.progress[kind])) {
      const mine = state[kind][id] ?? {}
      state[kind][id] = {
        ...other, ...mine,
        tries: Math.max(mine.tries ?? 0, other.tries ?? 0),
        ...(mine.solved || other.solved ? { solved: true } : {}),
        ...(mine.read || other.read ? { read: true } : {}),
      }
    }
  }
  state.last ||= found.progress.last
  store()
  tell()
  return { left: found.left }
}

/** Forgets everything. */
export function reset() {
  state = empty()
  if (problem === 'damaged' || problem === 'newer') problem = ''
  store()
  tell()
}

globalThis.window?.addEventListener('storage', event => {
  if (event.key !== KEY) return
  fresh()
  tell()
})
