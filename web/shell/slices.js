// In the worker: one running process, advanced in slices, between which the worker hears the page. Messages: protocol.js.

/** Seconds of Python before the worker listens again; writing a frame out in words comes on top, 50 ms in all. */
const SLICE = 0.03
/** Milliseconds between two messages that tell of progress only. */
const QUIET = 250

/**
 * @typedef {Object} Made what `web.labs.stream` returns
 * @property {(frames: number, seconds: number) => any} advance
 * @property {() => any} stop
 * @property {() => any} shown
 * @property {number} still
 * @property {{pace: number}} process
 * @property {() => void} destroy
 */

export class Slices {
  run = 0
  frames = 0
  share = NaN
  ended = false
  fault = ''
  /** A frame that the page has not got yet. */
  fresh = false
  /** Whether the page has drawn what it got. */
  free = true
  /** Number of the frame to go on to, and whether those before it stay unseen. */
  goal = 0
  quiet = false
  /** For the time left: the share at the beginning, milliseconds of running, and since when it runs. */
  from = NaN
  worked = 0
  since = 0
  told = 0
  timer = 0
  /** @type {Made | null} */
  made = null

  /**
   * @param {(message: any, transfer?: Transferable[]) => void} post
   * @param {(proxy: any) => any} toJs
   * @param {(shown: any) => Transferable[]} buffers
   * @param {(error: unknown) => string} lastLine
   */
  constructor(post, toJs, buffers, lastLine) {
    this.post = post
    this.toJs = toJs
    this.buffers = buffers
    this.lastLine = lastLine
    this.channel = new MessageChannel()
    this.channel.port1.onmessage = () => this.tick()
  }

  /** Lets go of what runs. */
  drop() {
    clearTimeout(this.timer)
    this.made?.destroy()
    this.made = null
  }

  /**
   * Takes up a new process.
   * @param {number} run names it in every message
   * @param {Made} made
   * @param {'play' | 'still' | 'first'} begin plays at once, or goes quietly to the frame that tells most, or to the first
   */
  start(run, made, begin) {
    this.drop()
    this.run = run
    this.made = made
    this.frames = this.worked = this.told = 0
    this.share = this.from = NaN
    this.ended = this.fresh = false
    this.free = true
    this.fault = ''
    this.go(begin === 'play' ? Infinity : begin === 'first' ? 1 : made.still, begin !== 'play')
  }

  /** @param {number} goal number of the frame to go on to @param {boolean} quiet whether frames before it are not shown */
  go(goal, quiet) {
    this.goal = goal
    this.quiet = quiet
    this.since = performance.now()
    this.next(0)
  }

  /** @param {number} seconds */
  next(seconds) {
    clearTimeout(this.timer)
    if (seconds > 0) this.timer = setTimeout(() => this.tick(), seconds * 1000)
    else this.channel.port2.postMessage(0)
  }

  get running() { return Boolean(this.made) && !this.ended && this.frames < this.goal }

  tick() {
    if (!this.made || !this.running) return
    const { pace } = this.made.process
    const before = this.frames
    this.work(made => made.advance(this.quiet ? Math.min(this.goal, 2 ** 40) - this.frames : 1, SLICE))
    // As many frames as fit: the page sees the newest of them.
    const end = performance.now() + SLICE * 1000
    while (!this.quiet && pace === 0 && this.running && performance.now() < end - SLICE * 500) this.work(made => made.advance(1, SLICE / 2))
    const now = performance.now()
    this.worked += now - this.since
    this.since = now
    this.tell()
    if (this.running) this.next(pace > 0 && !this.quiet && this.frames > before ? pace : 0)
  }

  /** @param {(made: Made) => any} step */
  work(step) {
    try {
      const { frames, share, ended, fault } = this.toJs(step(/** @type {Made} */ (this.made)))
      if (frames > this.frames) this.fresh = true
      this.frames = frames
      this.share = share
      this.ended = ended
      this.fault = fault
      if (Number.isNaN(this.from)) this.from = share
    } catch (error) {
      this.ended = true
      this.fault = this.lastLine(error)
    }
  }

  /** Tells the page where the process is, with the newest frame when the page is free to draw it. */
  tell() {
    const { running } = this
    const due = this.fresh && this.free && !(running && this.quiet)
    if (running && !due && performance.now() - this.told < QUIET) return
    this.told = performance.now()
    const shown = due ? this.toJs(/** @type {Made} */ (this.made).shown()) : null
    if (due) { this.fresh = false; this.free = false }
    const left = this.worked / 1000 * (1 - this.share) / (this.share - this.from)
    const state = this.fault ? 'failed' : this.ended ? 'ended' : running ? 'running' : 'paused'
    this.post({
      type: 'frame', run: this.run, state, frames: this.frames, fault: this.fault, shown,
      share: Number.isFinite(this.share) ? this.share : null, left: Number.isFinite(left) && left >= 0 ? left : null,
    }, shown ? this.buffers(shown) : [])
  }

  /** @param {{run: number, action: 'play' | 'pause' | 'step' | 'stop' | 'seen' | 'look'}} message */
  obey({ run, action }) {
    if (!this.made || run !== this.run) return
    if (action === 'seen') {
      this.free = true
      if (!this.running && this.fresh) this.tell()
    } else if (action === 'look') {
      // What is shown beside the process has changed.
      this.fresh = this.frames > 0
      this.tell()
    } else if (action === 'play') this.go(Infinity, false)
    else if (action === 'step') this.go(this.frames + 1, false)
    else if (action === 'pause') { this.goal = this.frames; clearTimeout(this.timer); this.tell() }
    else if (action === 'stop') {
      this.work(made => made.stop())
      // What it still does in the end is done at once.
      this.go(Infinity, true)
      if (this.ended) this.tell()
    }
  }
}
