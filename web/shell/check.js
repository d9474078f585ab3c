// The questions of a step: takes an answer, says at once whether it is right and why, shows the solution after an attempt.

import { grade } from './grade.js'
import { follow, keep, kept } from './keep.js'
import * as progress from './progress.js'

const words = JSON.parse(document.getElementById('check-words')?.textContent ?? '{}')
const language = document.documentElement.lang
const fill = (/** @type {string} */ template, /** @type {Record<string, string | number>} */ values) =>
  template.replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole))

/** Wakes every question of the page. */
export function wake() {
  document.getElementById('answers')?.classList.add('paper-only')
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll('form.check'))) new Question(form)
}

class Question {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form
    this.kind = form.dataset.kind ?? ''
    this.key = JSON.parse(form.dataset.key ?? '{}')
    this.id = `${document.querySelector('[data-step]')?.getAttribute('data-step')}/${form.dataset.check}`
    this.answer = /** @type {HTMLElement} */ (document.getElementById(`answer-${form.dataset.check}`))
    this.verdict = /** @type {HTMLElement} */ (form.querySelector('.verdict'))
    this.solution = /** @type {HTMLElement} */ (form.querySelector('.solution'))
    this.reveal = /** @type {HTMLButtonElement} */ (form.querySelector('[data-solution]'))
    form.addEventListener('submit', event => { event.preventDefault(); this.check() })
    form.addEventListener('input', () => this.forget())
    this.reveal.addEventListener('click', () => this.solve())
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll('[data-move]'))) button.addEventListener('click', () => this.move(button))
    if (this.kind === 'open') this.remember()
    const before = progress.get('checks', this.id)
    this.mark(before?.solved ?? false)
    if (before?.tries) this.reveal.hidden = false
  }

  /** What the learner has put in. @returns {number[] | string} */
  given() {
    const { form, kind } = this
    if (kind === 'numeric') return /** @type {HTMLInputElement} */ (form.elements.namedItem('answer')).value
    if (kind === 'ordering') return [...form.querySelectorAll('.order > li')].map(item => Number(item.getAttribute('data-item')))
    if (kind === 'matching') return [...form.querySelectorAll('select')].map(one => (one.value === '' ? -1 : Number(one.value)))
    return [...form.querySelectorAll('input:checked')].map(one => Number(/** @type {HTMLInputElement} */ (one).value))
  }

  check() {
    this.forget()
    if (this.kind === 'open') { this.points(); return }
    const given = this.given()
    const found = grade(this.kind, this.key, given, language)
    for (const [item, mark] of Object.entries(found.marks)) this.item(item)?.setAttribute('data-mark', mark)
    /** @type {Element[]} */
    const general = []
    for (const name of found.whys) {
      const why = this.why(name)
      if (!why) continue
      const index = name.replace('hint-', '')
      if (index in found.marks) this.item(index)?.append(why)
      else general.push(why)
    }
    this.say(found.state === 'right', this.sentence(found, given), general)
    if (found.state === 'right' || found.state === 'wrong') this.attempt(found.state === 'right')
  }

  /** @param {import('./grade.js').Grade} found @param {number[] | string} given */
  sentence(found, given) {
    if (found.state === 'right') return words.right
    if (found.state === 'nothing') return words.nothing
    if (found.state === 'unread') return fill(words.unread, { value: String(given).slice(0, 30) })
    if (found.missing) return words.missing
    if (this.kind === 'ordering' && found.found) return `${words.wrong} ${fill(words.first_wrong, { place: found.found })}`
    if (this.kind === 'matching' && found.found) return fill(words.part, { right: found.found, all: found.all ?? 0 })
    return words.wrong
  }

  /** @param {boolean} right @param {string} sentence @param {Element[]} more */
  say(right, sentence, more) {
    this.verdict.dataset.state = right ? 'right' : 'wrong'
    const line = document.createElement('p')
    const strong = document.createElement('strong')
    strong.textContent = sentence
    line.append(strong)
    for (const one of more) line.append(' ', ...one.childNodes)
    this.verdict.replaceChildren(line)
  }

  /** @param {boolean} right */
  attempt(right) {
    const before = progress.get('checks', this.id)
    progress.set('checks', this.id, { tries: (before?.tries ?? 0) + 1, solved: right || (before?.solved ?? false) })
    this.mark(right || (before?.solved ?? false))
    this.reveal.hidden = false
  }

  /** @param {boolean} solved */
  mark(solved) {
    /** @type {HTMLElement} */ (this.form.querySelector('.check-done')).hidden = !solved
  }

  solve() {
    const copy = /** @type {HTMLElement} */ (this.answer.querySelector('.answer-body')?.cloneNode(true))
    this.solution.replaceChildren(copy)
    this.solution.hidden = false
    progress.set('checks', this.id, { shown: true })
  }

  /** A new answer is not judged by an old verdict. */
  forget() {
    this.verdict.replaceChildren()
    delete this.verdict.dataset.state
    this.solution.hidden = true
    for (const item of this.form.querySelectorAll('[data-item]')) {
      item.removeAttribute('data-mark')
      item.querySelector(':scope > .why')?.remove()
    }
  }

  /** @param {string} index */
  item(index) { return this.form.querySelector(`[data-item="${CSS.escape(index)}"]`) }

  /** A copy of an explanation. @param {string} name */
  why(name) {
    const copy = /** @type {HTMLElement | undefined} */ (this.answer.querySelector(`[data-why="${CSS.escape(name)}"]`)?.cloneNode(true))
    copy?.classList.remove('only-feedback')
    copy?.classList.add('why')
    return copy
  }

  /** @param {HTMLElement} button */
  move(button) {
    const item = /** @type {HTMLElement} */ (button.closest('li'))
    const list = /** @type {HTMLElement} */ (item.parentElement)
    const up = button.getAttribute('data-move') === '-1'
    const other = up ? item.previousElementSibling : item.nextElementSibling
    if (!other) return
    this.forget()
    if (up) list.insertBefore(item, other)
    else list.insertBefore(other, item)
    button.focus()
    const text = item.querySelector('.order-text')?.textContent?.trim() ?? ''
    const line = document.createElement('p')
    line.className = 'unseen'
    line.textContent = fill(words.moved, { item: text, place: [...list.children].indexOf(item) + 1, all: list.children.length })
    this.verdict.replaceChildren(line)
  }

  /** An account is there again after the page has been left. */
  remember() {
    const area = /** @type {HTMLTextAreaElement} */ (this.form.elements.namedItem('answer'))
    // What was typed before this script came stands.
    area.value ||= kept(this.id).text ?? ''
    area.addEventListener('input', () => { keep(this.id, { text: area.value, hints: 0 }) })
    follow(this.id, ({ text }) => { area.value = text ?? '' })
  }

  /** An account in the learner's own words: what a good one says, to tick off. */
  points() {
    const list = /** @type {HTMLElement} */ (this.answer.querySelector('.points')?.cloneNode(true))
    const boxes = [...list.children].map(item => {
      const label = document.createElement('label')
      const box = document.createElement('input')
      box.type = 'checkbox'
      label.append(box, ' ', ...item.childNodes)
      item.replaceChildren(label)
      return box
    })
    const score = document.createElement('p')
    const count = () => {
      const right = boxes.filter(box => box.checked).length
      score.textContent = fill(words.open_score, { right, all: boxes.length })
      this.attempt(right === boxes.length)
    }
    list.addEventListener('input', event => { event.stopPropagation(); count() })
    const title = document.createElement('p')
    title.textContent = words.open_points
    const all = this.why('all')
    this.verdict.replaceChildren(...(all ? [all] : []), title, list, score)
    this.attempt(false)
  }
}
