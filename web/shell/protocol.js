// The messages between the page and the Python worker, version 1. Unknown messages are ignored and logged once.

export const VERSION = 1

/**
 * From the page:
 * @typedef {{v: 1, type: 'boot', base: string, files: {url: string, bytes: number}[]}} Boot
 * @typedef {{v: 1, type: 'open', id: number, lab: string, language: string, query: string, begin?: Begin}} Open a state from an address
 * @typedef {{v: 1, type: 'set', id: number, lab: string, language: string, controls: Record<string, unknown>, begin?: Begin}} Set
 * @typedef {{v: 1, type: 'notebook', id: number, lab: string, language: string, query: string, what: 'notebook' | 'practicum' | 'trl' | 'verl'}} Notebook
 * @typedef {{v: 1, type: 'program', id: number, name: 'requests_json' | 'judge_json', parts: string[]}} Program a step of program.js
 * @typedef {{v: 1, type: 'desk', id: number, lab: string, language: string, name: 'open_file' | 'put_away' | 'download' | 'take' | 'checkpoint' | 'bring',
 *   parts: (string | number | Uint8Array)[]}} Desk what a learner lays on the desk of `web.dashboard`; the answer is a file
 * @typedef {{v: 1, type: 'process', run: number, action: 'play' | 'pause' | 'step' | 'stop' | 'seen' | 'look'}} Process run is the id of
 *   the `open` or `set` that began it; `seen` asks for the next frame
 * @typedef {'play' | 'still' | 'first'} Begin how a process begins: it plays, or goes quietly to its telling or first frame
 *
 * From the worker:
 * @typedef {{v: 1, type: 'progress', stage: 'download' | 'start', done: number, total: number}} Progress
 * @typedef {{v: 1, type: 'ready'}} Ready
 * @typedef {{v: 1, type: 'shown', id: number, shown: Shown}} Answer
 * @typedef {{v: 1, type: 'file', id: number, name: string, text: string, bytes?: Uint8Array<ArrayBuffer>}} File
 * @typedef {{v: 1, type: 'failed', id?: number, stage: 'download' | 'start' | 'compute', what: string}} Failed
 * @typedef {{v: 1, type: 'frame', run: number, state: 'running' | 'paused' | 'ended' | 'failed', frames: number,
 *   share: number | null, left: number | null, fault: string, shown: Written | null}} Frame of a process; left in seconds
 *
 * @typedef {{sources: Record<string, Record<string, unknown>>, summary: string, substituted: string, texts: string[], readouts: string[],
 *   table: string[][], onward: Record<string, string>, extra?: string}} Written onward: other labs' queries; extra: JSON for the lab's component
 * @typedef {Partial<Written> & {controls: Record<string, any>, query: string, problems?: string[], fault: string, field?: string}} Shown of
 *   a process without what is written: that comes in frames
 * @typedef {Open | Set | Notebook | Program | Desk | Process} Request
 * @typedef {Progress | Ready | Answer | File | Failed | Frame} Reply
 */

const seen = new Set()

/**
 * Whether a message is one of ours; others are logged once a kind.
 * @param {any} message
 * @returns {message is Reply}
 */
export function known(message) {
  const types = ['progress', 'ready', 'shown', 'file', 'failed', 'frame']
  if (message && message.v === VERSION && types.includes(message.type)) return true
  const kind = String(message?.type).slice(0, 40)
  if (!seen.has(kind)) { seen.add(kind); console.warn('unknown message from the worker', kind) }
  return false
}
