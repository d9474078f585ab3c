// Draws what a learner's program plots: lines, dots or bars in one small SVG, with a sentence for those who do not see it.

/** @typedef {import('./runner.js').Series} Series */

const WIDEST = 560
const HEIGHT = 260
const EDGE = { left: 56, right: 12, top: 12, bottom: 30 }
const ROLES = ['positive', 'negative', 'current', 'reference', 'signal', 'old', 'ink', 'silent']
const DASHES = ['', '6 4', '2 3', '8 3 2 3']

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
function svg(name, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value))
  if (text !== undefined) node.textContent = text
  return node
}

/** Round numbers that cover a range. @param {number} low @param {number} high */
function ticks(low, high) {
  const rough = (high - low) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = /** @type {number} */ ([1, 2, 5, 10].find(factor => factor * power >= rough)) * power
  const found = []
  for (let at = Math.ceil(low / step); at * step <= high + step / 1e6; at++) found.push(at * step)
  return found
}

/** @param {number[]} values @param {boolean} zero @returns {[number, number]} */
function range(values, zero) {
  let low = zero ? 0 : Infinity
  let high = zero ? 0 : -Infinity
  for (const value of values) { low = Math.min(low, value); high = Math.max(high, value) }
  if (low === high) return [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2]
  return [low, high]
}

/**
 * @param {Series[]} series
 * @param {string} language
 * @param {string} sentence with {count}, {low} and {high}
 * @param {number} room width in pixels: letters keep their size on a phone
 * @returns {HTMLElement | null}
 */
export function chart(series, language, sentence, room) {
  const drawn = series.filter(one => one.x.length)
  if (!drawn.length) return null
  const WIDTH = Math.max(240, Math.min(WIDEST, room))
  const number = new Intl.NumberFormat(language, { maximumSignificantDigits: 4 })
  const bars = drawn.some(one => one.kind === 'bars')
  const [left, right] = range(drawn.flatMap(one => one.x), false)
  const [low, high] = range(drawn.flatMap(one => one.y), bars)
  const half = bars ? 0.5 * (right - left) / Math.max(1, ...drawn.map(one => one.x.length - 1)) : 0
  const [x0, x1] = [left - half, right + half]
  const pad = (high - low) * 0.05
  const [y0, y1] = [bars && low === 0 ? 0 : low - pad, high + pad]
  const x = (/** @type {number} */ value) => EDGE.left + (value - x0) / (x1 - x0) * (WIDTH - EDGE.left - EDGE.right)
  const y = (/** @type {number} */ value) => HEIGHT - EDGE.bottom - (value - y0) / (y1 - y0) * (HEIGHT - EDGE.top - EDGE.bottom)
  const all = drawn.flatMap(one => one.y)
  const spoken = sentence.replace('{count}', String(drawn.length)).replace('{low}', number.format(Math.min(...all))).replace('{high}', number.format(Math.max(...all)))
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': spoken, class: 'chart' })
  for (const at of ticks(y0, y1)) {
    picture.append(svg('line', { x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(at), y2: y(at), class: at === 0 ? 'zero' : 'grid' }))
    picture.append(svg('text', { x: EDGE.left - 6, y: y(at) + 4, 'text-anchor': 'end' }, number.format(at)))
  }
  for (const at of ticks(x0, x1)) picture.append(svg('text', { x: x(at), y: HEIGHT - 10, 'text-anchor': 'middle' }, number.format(at)))
  drawn.forEach((one, index) => {
    const role = ROLES[index % ROLES.length]
    if (one.kind === 'line') {
      const points = one.x.map((value, at) => `${x(value).toFixed(1)},${y(one.y[at]).toFixed(1)}`).join(' ')
      picture.append(svg('polyline', { points, class: `role-${role} stroke`, 'stroke-dasharray': DASHES[index % DASHES.length] }))
    }
    one.x.forEach((value, at) => {
      if (one.kind === 'dots' || (one.kind === 'line' && one.x.length === 1)) {
        picture.append(svg('circle', { cx: x(value), cy: y(one.y[at]), r: 3, class: `role-${role} fill` }))
      } else if (one.kind === 'bars') {
        const width = Math.max(1, (x(left + half) - x(left)) * 1.4 / drawn.length)
        const top = Math.min(y(one.y[at]), y(0))
        picture.append(svg('rect', {
          x: x(value) + (index - drawn.length / 2) * width, y: top, width, height: Math.abs(y(one.y[at]) - y(0)), class: `role-${role} fill`,
        }))
      }
    })
  })
  const figure = document.createElement('figure')
  const labelled = drawn.filter(one => one.label)
  if (labelled.length) {
    const key = document.createElement('ul')
    key.className = 'key'
    drawn.forEach((one, index) => {
      const entry = document.createElement('li')
      const mark = document.createElement('span')
      const kind = one.kind === 'line' ? ['', 'dashed', 'dotted', 'dashed'][index % DASHES.length] : one.kind === 'dots' ? 'dot' : 'bar'
      mark.className = `mark ${kind} role-${ROLES[index % ROLES.length]}`
      entry.append(mark, one.label)
      key.append(entry)
    })
    figure.append(key)
  }
  figure.append(picture)
  return figure
}
