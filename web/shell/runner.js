// Runs an exercise's program in a worker that is thrown away when it does not come back, with a warm one to follow it.

const START_SECONDS = 90
const MEMORY_BYTES = 256 * 2 ** 20

/**
 * @typedef {{kind: string, type: string, text: string, line: number | null}} Fault
 * @typedef {{name: string, hidden: boolean, passed: boolean, why?: string, call?: string, expected?: string, got?: string,
 *   error?: Fault}} CheckResult
 * @typedef {{label: string, kind: string, x: number[], y: number[]}} Series
 * @typedef {{error: Fault | null, output: string, plots: Series[],
 *   verdict?: {checks: CheckResult[], mistake: string | null}}} Report
 * @typedef {{status: 'done', report: Report} | {status: 'timeout' | 'stopped'} | {status: 'broken' | 'failed', detail: string}} Ending
 */

/** The site's root, absolute. */
const base = new URL('../', import.meta.url)
const at = (/** @type {string} */ path) => new URL(path, base).href

/** A worker from the script itself, or from a blob where the frame's origin is opaque and the script may not be used. */
function spawn() {
  const script = at('assets/program-worker.js')
  try {
    return new Worker(script)
  } catch {
    const blob = new Blob([`importScripts(${JSON.stringify(script)})`], { type: 'text/javascript' })
    return new Worker(URL.createObjectURL(blob))
  }
}

/** One interpreter: `ready` settles when it can run, `hear` takes what it says. */
function isolate() {
  const worker = spawn()
  /** @type {{hear: (message: any) => void}} */
  const ear = { hear: () => {} }
  const ready = new Promise((resolve, reject) => {
    const clock = setTimeout(() => reject(new Error('timeout')), START_SECONDS * 1000)
    ear.hear = message => {
      clearTimeout(clock)
      if (message?.ready) resolve(true)
      else reject(new Error(String(message?.detail ?? 'worker').slice(0, 300)))
    }
  })
  ready.catch(() => {}) // whoever awaits it later still sees it
  worker.onmessage = event => ear.hear(event.data)
  // Once it is ready, whatever a run comes to is told by message; what is thrown between runs harms none of them.
  let up = false
  const made = { worker, ear, ready, dead: false }
  ready.then(() => { up = true }, () => { made.dead = true; worker.terminate() })
  worker.onerror = event => {
    event.preventDefault()
    if (!up) ear.hear({ failed: 'worker', detail: event.message || 'worker' })
  }
  worker.postMessage({
    pyodide: at('runtime/'), harness: at('runtime/exercise.py'), memoryBytes: MEMORY_BYTES,
    archives: [at('runtime/numpy.zip'), at('runtime/exercise.zip')],
  })
  return made
}

export class Runner {
  /** @type {ReturnType<typeof isolate> | null} */
  #current = null
  /** @type {ReturnType<typeof isolate> | null} */
  #spare = null
  /** @type {((ending: Ending) => void) | null} */
  #end = null

  /** Brings up Python; nothing of the learner's runs. Resolves when it is ready. @returns {Promise<unknown>} */
  warm() {
    // One that did not come up, as where the network was away, will not come up by being asked again.
    if (this.#current?.dead) this.#current = null
    if (this.#spare?.dead) this.#spare = null
    this.#current ??= this.#spare ?? isolate()
    if (this.#current === this.#spare) this.#spare = null
    return this.#current.ready
  }

  /** Brings up the one to follow: two take some 200 MB, so a small phone waits until the first is gone. */
  async reserve() {
    if ((/** @type {any} */ (navigator).deviceMemory ?? 8) < 4) return
    await this.warm() // one after the other: together they would be slower
    this.#spare ??= isolate()
  }

  /**
   * @param {{source: string, task?: unknown}} request
   * @param {number} seconds
   * @param {(text: string) => void} hear takes what the program prints, as it comes
   * @returns {Promise<Ending>}
   */
  async run(request, seconds, hear) {
    const starting = this.warm()
    const current = /** @type {ReturnType<typeof isolate>} */ (this.#current)
    const ended = new Promise(resolve => { this.#end = resolve })
    const failed = starting.then(() => null, error => ({ status: 'failed', detail: error.message }))
    const early = await Promise.race([failed, ended])
    if (early) return this.#finish(/** @type {Ending} */ (early))
    this.reserve().catch(() => {})
    const clock = setTimeout(() => this.#end?.({ status: 'timeout' }), seconds * 1000)
    current.ear.hear = message => {
      if (typeof message?.output === 'string') hear(message.output)
      else if (typeof message?.report === 'string') {
        try { this.#end?.({ status: 'done', report: JSON.parse(message.report) }) } catch (error) {
          this.#end?.({ status: 'broken', detail: String(error) })
        }
      } else this.#end?.({ status: 'broken', detail: String(message?.detail ?? '') })
    }
    current.worker.postMessage({ request: JSON.stringify(request) })
    const ending = /** @type {Ending} */ (await ended)
    clearTimeout(clock)
    return this.#finish(ending)
  }

  /** Ends what is running. */
  stop() { this.#end?.({ status: 'stopped' }) }

  /** @param {Ending} ending */
  #finish(ending) {
    this.#end = null
    // Memory that was taken does not come back: such an interpreter goes as well.
    const faults = ending.status === 'done' ? [ending.report.error, ...(ending.report.verdict?.checks ?? []).map(one => one.error)] : []
    const spent = ending.status !== 'done' || faults.some(fault => fault?.kind === 'memory')
    if (spent) {
      this.#current?.worker.terminate()
      this.#current = null
      // The spare takes its place, and another is made ready while the learner reads: the next program may fail at once.
      if (ending.status !== 'failed') this.reserve().catch(() => {})
    }
    return ending
  }
}
