// The messages between the page and the Python worker, version 1. Unknown messages are ignored and logged once.

export const VERSION = 1

/**
 * From the page:
 * @typedef {{v: 1, type: 'boot', base: string, files: {url: string, bytes: number}[]}} Boot
 * @typedef {{v: 1, type: 'open', id: number, lab: string, language: string, query: string}} Open a state from an address
 * @typedef {{v: 1, type: 'set', id: number, lab: string, language: string, controls: Record<string, unknown>}} Set
 * @typedef {{v: 1, type: 'notebook', id: number, lab: string, language: string, query: string}} Notebook
 * @typedef {{v: 1, type: 'program', id: number, name: 'requests_json' | 'judge_json', parts: string[]}} Program a step of program.js
 *
 * From the worker:
 * @typedef {{v: 1, type: 'progress', stage: 'download' | 'start', done: number, total: number}} Progress
 * @typedef {{v: 1, type: 'ready'}} Ready
 * @typedef {{v: 1, type: 'shown', id: number, shown: Shown}} Answer
 * @typedef {{v: 1, type: 'file', id: number, name: string, text: string}} File
 * @typedef {{v: 1, type: 'failed', id?: number, stage: 'download' | 'start' | 'compute', what: string}} Failed
 *
 * @typedef {{sources: Record<string, Record<string, unknown>>, summary: string, readouts: string[], table: string[][],
 *   controls: Record<string, any>, query: string, problems?: string[], fault: string}} Shown
 * @typedef {Open | Set | Notebook | Program} Request
 * @typedef {Progress | Ready | Answer | File | Failed} Reply
 */

const seen = new Set()

/**
 * Whether a message is one of ours; others are logged once a kind.
 * @param {any} message
 * @returns {message is Reply}
 */
export function known(message) {
  const types = ['progress', 'ready', 'shown', 'file', 'failed']
  if (message && message.v === VERSION && types.includes(message.type)) return true
  const kind = String(message?.type).slice(0, 40)
  if (!seen.has(kind)) { seen.add(kind); console.warn('unknown message from the worker', kind) }
  return false
}
