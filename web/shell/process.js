// The page's side of a lab that goes on by itself: play, pause, step, restart, stop, and how far it is.

import { listen, tell, watch } from './python.js'

/**
 * @typedef {Object} Process
 * @property {() => import('./protocol.js').Begin} begin how the next state begins
 * @property {(run: number) => void} began frames of this run are shown from now on
 */

/**
 * Brings the buttons to life; null where the lab has none.
 * @param {HTMLElement} root
 * @param {Record<string, string>} words
 * @param {{show: (shown: import('./protocol.js').Written) => Promise<void> | void, problem: (text: string) => void, again: () => void}} lab
 * @returns {Process | null}
 */
export function attach(root, words, lab) {
  const place = /** @type {HTMLElement | null} */ (root.querySelector('[data-process]'))
  if (!place) return null
  const button = (/** @type {string} */ name) => /** @type {HTMLButtonElement | null} */ (place.querySelector(`[data-process-action="${name}"]`))
  const play = /** @type {HTMLButtonElement} */ (button('play'))
  const bar = /** @type {HTMLProgressElement} */ (place.querySelector('progress'))
  const left = /** @type {HTMLElement} */ (place.querySelector('[data-left]'))
  const language = root.dataset.language ?? 'en'
  /** What the learner wants; who prefers little motion has to ask for it. */
  let playing = place.dataset.process === 'autoplay' && !matchMedia('(prefers-reduced-motion: reduce)').matches
  let restart = false
  /** @type {import('./protocol.js').Begin} */
  let how = 'still'
  let run = 0
  /** @type {import('./protocol.js').Frame['state']} */
  let state = 'paused'

  /** @param {number} seconds */
  const remaining = seconds => {
    const minutes = seconds >= 90
    const number = new Intl.NumberFormat(language).format(Math.max(1, Math.round(minutes ? seconds / 60 : seconds)))
    return (minutes ? words.process_minutes : words.process_seconds).replace('{left}', number)
  }

  /** Whether it goes on until it is told otherwise: a step on its way does not. */
  const going = () => playing && state === 'running'

  const dress = () => {
    place.dataset.processState = state
    play.textContent = going() ? words.process_pause : words.process_play
    const step = button('step'), stop = button('stop')
    if (step) step.disabled = run === 0 || state === 'ended' || state === 'failed'
    if (stop) stop.disabled = run === 0 || state === 'ended' || state === 'failed'
  }

  /** @param {import('./protocol.js').Frame} frame */
  const receive = frame => {
    if (frame.run !== run) return
    state = frame.state
    dress()
    bar.hidden = frame.share === null || state === 'ended' || state === 'failed'
    bar.value = frame.share ?? 0
    left.textContent = state === 'running' && frame.left !== null ? remaining(frame.left) : words[`process_${state}`] ?? ''
    if (frame.fault) lab.problem(words.process_broke.replace('{what}', () => frame.fault))
    if (frame.fault) root.removeAttribute('data-awaiting')
    if (!frame.shown) return
    const { shown } = frame
    // With the screen's own rhythm: the worker sends the next frame once this one stands.
    requestAnimationFrame(async () => {
      if (frame.run !== run) return
      const begin = performance.now()
      try { await lab.show(shown) } catch (error) {
        console.error(error)
        lab.problem(words.process_broke.replace('{what}', () => String(error).slice(0, 120)))
      }
      root.removeAttribute('data-awaiting')
      // What took long to draw is drawn less often: there must be time for the learner's hand as well.
      setTimeout(() => tell(run, 'seen'), 2 * (performance.now() - begin))
    })
  }
  listen(receive)
  let lost = false
  watch(python => {
    // The worker took the run with it: begun again as soon as there is a new one.
    if (python.name !== 'ready') { lost ||= run !== 0; run = 0; state = 'paused'; dress() }
    else if (lost) { lost = false; lab.again() }
  })

  /** @type {Record<string, () => void>} */
  const actions = {
    play() {
      if (going()) { playing = false; tell(run, 'pause'); return }
      playing = true
      // From the beginning once it has ended.
      if (state === 'ended' || state === 'failed') lab.again()
      else tell(run, 'play')
    },
    step() { playing = false; tell(run, 'step') },
    restart() { playing = false; restart = true; lab.again() },
    stop() { playing = false; tell(run, 'stop') },
  }
  place.addEventListener('click', event => {
    const pressed = /** @type {Element} */ (event.target).closest('[data-process-action]')
    if (pressed instanceof HTMLElement) actions[pressed.dataset.processAction ?? '']?.()
  })
  place.addEventListener('keydown', event => {
    const name = { ArrowRight: 'step', Home: 'restart' }[event.key]
    if (!name || event.ctrlKey || event.metaKey || event.altKey || button(name)?.disabled) return
    event.preventDefault()
    actions[name]()
  })
  dress()

  return {
    begin() {
      how = playing ? 'play' : restart ? 'first' : 'still'
      restart = false
      return how
    },
    began(id) {
      run = id
      state = playing ? 'running' : 'paused'
      // Pressed while the question was on its way.
      if (playing !== (how === 'play')) tell(run, playing ? 'play' : 'pause')
      dress()
    },
  }
}
