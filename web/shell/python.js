// The page's side of the Python worker: one worker a page, one request in flight, restart after a failure.

import { known } from './protocol.js'

/** @typedef {import('./protocol.js').Reply} Reply */

/** The site's root, absolute: every file of the runtime is found from here. */
export const base = new URL('../', import.meta.url).href

/** @type {Worker | null} */
let worker = null
/** @type {Map<number, (reply: Reply) => void>} */
const waiting = new Map()
/** @type {Set<(state: State) => void>} */
const watchers = new Set()
/** @type {Set<(frame: import('./protocol.js').Frame) => void>} */
const listeners = new Set()
let next = 1

/**
 * @typedef {{name: 'loading', stage: string, done: number, total: number} | {name: 'ready'}
 *   | {name: 'failed', stage: string, what: string}} State
 * @type {State}
 */
let state = { name: 'loading', stage: 'download', done: 0, total: 0 }

/** @param {State} to */
function enter(to) {
  state = to
  for (const watcher of watchers) watcher(state)
}

/**
 * Calls back with the state now and at every change.
 * @param {(state: State) => void} watcher
 */
export function watch(watcher) {
  watchers.add(watcher)
  watcher(state)
}

/** A worker from the script itself, or from a blob where the frame's origin is opaque and the script may not be used. */
function spawn() {
  const script = new URL('worker.js', import.meta.url).href
  try {
    return new Worker(script)
  } catch {
    const blob = new Blob([`importScripts(${JSON.stringify(script)})`], { type: 'text/javascript' })
    return new Worker(URL.createObjectURL(blob))
  }
}

/** Starts the worker; after a failure, starts it afresh. */
export async function start() {
  worker?.terminate()
  fail('start', '')
  enter({ name: 'loading', stage: 'download', done: 0, total: 0 })
  const mine = worker = spawn()
  mine.onmessage = event => { if (mine === worker) receive(event.data) }
  mine.onerror = event => {
    if (mine !== worker) return
    event.preventDefault()
    crash(event.message ?? 'worker')
  }
  mine.onmessageerror = () => { if (mine === worker) crash('message') }
  const files = JSON.parse(document.getElementById('runtime-files')?.textContent ?? '[]')
  mine.postMessage({ v: 1, type: 'boot', base, files })
}

/** @param {string} what */
function crash(what) {
  worker?.terminate()
  worker = null
  enter({ name: 'failed', stage: 'start', what })
  fail('start', what)
}

/** Tells everybody who waits that no answer will come. @param {'start' | 'download' | 'compute'} stage @param {string} what */
function fail(stage, what) {
  const callbacks = [...waiting.values()]
  waiting.clear()
  for (const callback of callbacks) callback({ v: 1, type: 'failed', stage, what })
}

/** @param {unknown} message */
function receive(message) {
  if (!known(message)) return
  if (message.type === 'progress') enter({ name: 'loading', ...message })
  else if (message.type === 'ready') enter({ name: 'ready' })
  else if (message.type === 'frame') for (const listener of listeners) listener(message)
  else if (message.type === 'failed' && message.id === undefined) {
    worker?.terminate()
    worker = null
    enter({ name: 'failed', stage: message.stage, what: message.what })
    fail(message.stage, message.what)
  } else {
    const id = /** @type {{id: number}} */ (message).id
    const callback = waiting.get(id)
    waiting.delete(id)
    callback?.(message)
  }
}

/**
 * Asks Python; the answer is a `shown`, `file` or `failed` message.
 * @param {Record<string, unknown>} request without version and id
 * @returns {Promise<Reply>}
 */
export function ask(request) {
  return new Promise(resolve => {
    if (!worker || state.name !== 'ready') {
      resolve({ v: 1, type: 'failed', stage: 'start', what: '' })
      return
    }
    const id = next++
    waiting.set(id, resolve)
    worker.postMessage({ v: 1, id, ...request })
  })
}

/**
 * Calls back with every frame of a process.
 * @param {(frame: import('./protocol.js').Frame) => void} listener
 */
export function listen(listener) { listeners.add(listener) }

/** Tells a running process what the learner wants. @param {number} run @param {string} action */
export function tell(run, action) { worker?.postMessage({ v: 1, type: 'process', run, action }) }

/**
 * What `createProgramRunner` needs to judge a learner's program: where its worker is, and the way to pycore.
 * @returns {Parameters<typeof import('./program.js').createProgramRunner>[0]}
 */
export function programParts() {
  return {
    worker: new URL('program-worker.js', import.meta.url),
    pyodide: new URL('runtime/', base),
    harness: new URL('runtime/harness.py', base),
    async core(name, ...parts) {
      const reply = await ask({ type: 'program', name, parts })
      if (reply.type !== 'file') throw new Error(reply.type === 'failed' ? reply.what : reply.type)
      return reply.text
    },
  }
}

window.addEventListener('online', () => { if (state.name === 'failed') start() })
