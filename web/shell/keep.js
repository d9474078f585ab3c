// What a learner wrote in the exercises and in answer to open questions, kept on this device and nowhere else; what came of it is in progress.js.

const KEY = 'rlvr-lab:exercise:'
const VERSION = 1

/** @typedef {{text: string, hints: number}} Work */

/**
 * What is kept of an exercise; what is damaged or of another version counts as nothing.
 * @param {string} name
 * @returns {Partial<Work>}
 */
export function kept(name) {
  try {
    const found = JSON.parse(localStorage.getItem(KEY + name) ?? '{}')
    if (found?.v !== VERSION) return {}
    const { text, hints } = found
    return { ...(typeof text === 'string' ? { text } : {}), hints: Number.isInteger(hints) && hints > 0 ? hints : 0 }
  } catch {
    return {}
  }
}

/**
 * Tells what another tab has kept of an exercise since this page was last awake.
 * @param {string} name
 * @param {(work: Partial<Work>) => void} then
 */
export function follow(name, then) {
  addEventListener('storage', event => { if (event.key === KEY + name && event.newValue !== null) then(kept(name)) })
  // A page that comes back by the back button has heard nothing meanwhile.
  addEventListener('pageshow', event => { if (event.persisted) then(kept(name)) })
}

/**
 * @param {string} name
 * @param {Work} work
 * @returns {boolean} whether it will survive the page
 */
export function keep(name, work) {
  try {
    localStorage.setItem(KEY + name, JSON.stringify({ v: VERSION, ...work }))
    return true
  } catch {
    return false
  }
}
