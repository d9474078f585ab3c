// What an answer to a question is worth, and which explanations belong to it. No page is needed for that.

/**
 * @typedef {{right?: number[], order?: number[], pairs?: number[], value?: number, tolerance?: number, traps?: number[]}} Key
 * @typedef {{
 *   state: 'right' | 'wrong' | 'nothing' | 'unread',
 *   marks: Record<number, 'right' | 'wrong'>,
 *   whys: string[],
 *   found?: number,
 *   all?: number,
 *   missing?: boolean,
 * }} Grade `marks` by item, `whys` are names of explanations, `found` of `all` parts are right
 */

/**
 * @param {string} kind
 * @param {Key} key
 * @param {number[] | string} answer chosen items; of an ordering the items from first to last; of a matching the choice for
 *   each item, or -1; of a number what was typed
 * @param {string} language
 * @returns {Grade}
 */
export function grade(kind, key, answer, language = 'en') {
  if (kind === 'numeric') return number(key, String(answer), language)
  const given = /** @type {number[]} */ (answer)
  if (kind === 'ordering') return order(key.order ?? [], given)
  if (kind === 'matching') return pairs(key.pairs ?? [], given)
  return options(key.right ?? [], given, kind === 'multiple')
}

/** @param {number[]} right @param {number[]} given @param {boolean} several @returns {Grade} */
function options(right, given, several) {
  if (!given.length) return { state: 'nothing', marks: {}, whys: [] }
  const marks = Object.fromEntries(given.map(item => [item, right.includes(item) ? 'right' : 'wrong']))
  const clean = given.every(item => right.includes(item))
  const done = clean && right.every(item => given.includes(item))
  return {
    state: done ? 'right' : 'wrong',
    marks: /** @type {Grade['marks']} */ (marks),
    whys: [...given.map(String), ...(done ? ['all'] : [])],
    missing: several && clean && !done,
  }
}

/** @param {Key} key @param {string} text @param {string} language @returns {Grade} */
function number(key, text, language) {
  if (!text.trim()) return { state: 'nothing', marks: {}, whys: [] }
  const value = readNumber(text, language)
  if (!Number.isFinite(value)) return { state: 'unread', marks: {}, whys: [] }
  const { value: right = NaN, tolerance = 0, traps = [] } = key
  const near = (/** @type {number} */ other) => Math.abs(value - other) <= tolerance * (1 + 1e-9)
  if (near(right)) return { state: 'right', marks: {}, whys: ['all'] }
  const trap = traps.findIndex(near)
  return { state: 'wrong', marks: {}, whys: [trap >= 0 ? String(trap) : 'hint'] }
}

/** @param {number[]} right @param {number[]} given @returns {Grade} */
function order(right, given) {
  const first = right.findIndex((item, place) => given[place] !== item)
  if (first < 0) return { state: 'right', marks: {}, whys: ['all'] }
  return { state: 'wrong', marks: {}, whys: [String(right[first])], found: first, all: right.length }
}

/** @param {number[]} right @param {number[]} given @returns {Grade} */
function pairs(right, given) {
  if (given.every(choice => choice < 0)) return { state: 'nothing', marks: {}, whys: [] }
  /** @type {Grade['marks']} */
  const marks = {}
  /** @type {string[]} */
  const whys = []
  given.forEach((choice, item) => {
    if (choice < 0) return
    marks[item] = choice === right[item] ? 'right' : 'wrong'
    whys.push(choice === right[item] ? String(item) : `hint-${item}`)
  })
  const found = given.filter((choice, item) => choice === right[item]).length
  const done = found === right.length
  return { state: done ? 'right' : 'wrong', marks, whys: done ? [...whys, 'all'] : whys, found, all: right.length }
}

/**
 * A number as people write one: 0.57, 0,57, 57 %, 4/7, 1 234,5, −3, 1e-3; NaN for anything else.
 * @param {string} text
 * @param {string} language decides what a single comma before three digits is
 */
export function readNumber(text, language) {
  let plain = text.replace(/[\s\u00a0\u2009\u202f]/g, '').replace(/[−–]/g, '-')
  const scale = plain.endsWith('%') ? 0.01 : 1
  plain = plain.replace(/%$/, '')
  const [top, bottom, ...more] = plain.split('/')
  if (more.length) return NaN
  const value = decimal(top, language)
  return (bottom === undefined ? value : value / decimal(bottom, language)) * scale
}

/** @param {string} text @param {string} language */
function decimal(text, language) {
  const comma = text.lastIndexOf(','), point = text.lastIndexOf('.')
  let plain = text
  if (comma >= 0 && point >= 0) plain = comma > point ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '')
  else if (comma >= 0) {
    const thousands = /^[+-]?\d{1,3}(,\d{3})+$/.test(text) && (language === 'en' || text.indexOf(',') !== comma)
    plain = thousands ? text.replaceAll(',', '') : text.replace(',', '.')
  }
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN
}
