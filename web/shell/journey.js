// What the learner has done, shown where the course lists its steps; the page that sums it up, saves, opens and forgets it.

import { save } from './hand-over.js'
import * as progress from './progress.js'

const words = JSON.parse(document.getElementById('journey-words')?.textContent ?? '{}')
const fill = (/** @type {string} */ template, /** @type {Record<string, string | number>} */ values) =>
  template.replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole))
const LARGEST = 1e6

/** @typedef {import('./progress.js').Progress} Progress */

/**
 * Of a step in a list: how many of its questions are solved, how many there are, whether it was read to the end.
 * @param {HTMLElement} item @param {Progress} all
 */
function stand(item, all) {
  const step = item.dataset.step ?? ''
  const count = Number(item.dataset.checks)
  const done = Object.entries(all.checks).filter(([id, result]) => id.startsWith(`${step}/`) && result.solved).length
  return { step, count, done: Math.min(done, count), read: all.steps[step]?.read ?? false }
}

/** @param {Progress} all @param {progress.Problem} problem */
function show(all, problem) {
  const items = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.steps [data-step]')])
  for (const item of items) {
    const { count, done, read } = stand(item, all)
    const place = item.querySelector('[data-state-of]')
    if (!place) continue
    const whole = read && done === count
    place.textContent = whole ? `✓ ${words.done}` : [read ? words.read : '', done ? fill(words.checks, { done, all: count }) : ''].filter(Boolean).join(', ')
  }
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a[data-continue]'))) {
    const last = items.find(item => item.dataset.step === all.last)?.querySelector('a')
    link.hidden = !last
    if (last) {
      link.href = last.href
      link.textContent = fill(words.continue, { step: last.textContent?.trim().replace(/\s+/g, ' ') ?? '' })
    }
  }
  const place = /** @type {HTMLElement | null} */ (document.querySelector('[data-store]'))
  if (place) {
    place.hidden = !problem
    place.textContent = problem ? words[problem] : ''
  }
  sum(items, all)
}

/** @param {HTMLElement[]} items @param {Progress} all */
function sum(items, all) {
  const stands = items.map(item => stand(item, all))
  const exercises = new Set(items.flatMap(item => (item.dataset.exercises ?? '').split(' ').filter(Boolean)))
  const totals = {
    steps: [stands.filter(one => one.read).length, stands.length],
    checks: [stands.reduce((sum, one) => sum + one.done, 0), stands.reduce((sum, one) => sum + one.count, 0)],
    exercises: [[...exercises].filter(id => all.exercises[id]?.solved).length, exercises.size],
  }
  for (const [kind, [done, count]] of Object.entries(totals)) {
    const place = document.querySelector(`[data-total="${kind}"]`)
    if (place) place.textContent = fill(words.total, { done, all: count })
  }
}

/** The step on this page counts as read when its end has been seen. */
function follow() {
  const step = document.querySelector('article[data-step]')?.getAttribute('data-step')
  const end = document.querySelector('[data-turn]')
  if (!step || !end) return
  progress.visit(step)
  const seen = new IntersectionObserver(entries => {
    if (!entries.some(entry => entry.isIntersecting)) return
    seen.disconnect()
    if (!progress.get('steps', step)?.read) progress.set('steps', step, { read: true })
  })
  seen.observe(end)
}

/** The page that sums up. */
function keep() {
  const place = document.querySelector('[data-summary-of-course]')
  if (!place) return
  const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (place.querySelector(selector))
  const say = (/** @type {string} */ text) => { find('[data-said]').textContent = text }
  const file = /** @type {HTMLInputElement} */ (find('#progress-file'))
  const today = /** @type {HTMLTimeElement} */ (find('[data-today]'))
  const now = new Date()
  today.dateTime = now.toISOString().slice(0, 10)
  today.textContent = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long' }).format(now)
  let forgotten = ''
  find('[data-save]').addEventListener('click', () => {
    save(progress.save(), `rlvr-lab-progress-${today.dateTime}.json`, 'application/json')
    say(words.saved)
  })
  find('[data-open]').addEventListener('click', () => file.click())
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? []
    if (!chosen) return
    const { name } = chosen
    if (chosen.size > LARGEST) {
      const size = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1 }).format(chosen.size / 1e6)
      say(fill(words.opened_large, { name, size }))
    } else {
      const found = progress.merge(await chosen.text())
      if (found === 'damaged') say(fill(words.opened_damaged, { name }))
      else if (found === 'newer') say(fill(words.opened_newer, { name }))
      else say(found.left ? fill(words.opened_part, { left: found.left }) : words.opened)
    }
    file.value = ''
  })
  find('[data-reset]').addEventListener('click', () => {
    forgotten = progress.save()
    progress.reset()
    find('[data-restore]').hidden = false
    say(words.forgotten)
  })
  find('[data-restore]').addEventListener('click', () => {
    progress.merge(forgotten)
    find('[data-restore]').hidden = true
    say(words.restored)
    find('[data-reset]').focus()
  })
}

progress.watch(show)
follow()
keep()
document.querySelector('[data-print]')?.addEventListener('click', () => print())
