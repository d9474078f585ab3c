// A figure's exact values by keyboard: the focus stands on the plot, arrows go from point to point and from row to row,
// and a line below says what the pointer's tooltip would say. Loaded when the figures stand; mouse and touch pass through.

const { replace_placeholders } = /** @type {any} */ (window).Bokeh.require('core/util/templating')

/**
 * @typedef {Object} Series what the keys go through: one mark of a figure, or one curve of several
 * @property {any} source
 * @property {string} x column of the places across
 * @property {string} y column of the places up
 * @property {string} name
 * @property {(string | [string, string])[]} tips templates as the tooltip has them
 * @property {number} [curve] which row, where a row holds a whole curve
 */

/** Columns of a mark's places. @type {Record<string, [string, string]>} */
const PLACES = { VBar: ['x', 'top'], HBar: ['right', 'y'], MultiLine: ['xs', 'ys'] }

/** @param {any} renderer @param {[string, string][]} tips @returns {Series[]} */
function seriesOf(renderer, tips) {
  const { glyph, data_source: source, name } = renderer
  const [x, y] = (PLACES[glyph.type] ?? ['x', 'y']).map(property => glyph[property].field)
  const one = { source, x, y, name: name ?? '', tips }
  if (glyph.type !== 'MultiLine') return [one]
  return [...(source.data[x] ?? [])].map((_, curve) => ({ ...one, name: '', curve }))
}

/** Everything in a figure that has a value to say, in the order of drawing; empty rows are passed over. @param {any} figure */
function readable(figure) {
  const told = figure.toolbar.tools.filter((/** @type {any} */ tool) => tool.type === 'HoverTool')
  const found = told.flatMap((/** @type {any} */ tool) => tool.renderers.flatMap((/** @type {any} */ one) => seriesOf(one, tool.tooltips)))
  // Words that stand in the figure, but for the curves' names and the runs' letters, which are said with the curves.
  const words = figure.renderers.filter((/** @type {any} */ one) => one.glyph?.type === 'Text' && one.glyph.text_color.transform === undefined && !one.data_source.name?.includes('/'))
  found.push(...words.flatMap((/** @type {any} */ one) => seriesOf(one, /** @type {any} */ (['@text']))))
  return found.filter((/** @type {Series} */ one) => one.tips.length > 0 && length(one) > 0)
}

/** @param {Series} series @returns {ArrayLike<number>} */
const across = ({ source, x, curve }) => (curve === undefined ? source.data[x] : source.data[x]?.[curve]) ?? []
/** @param {Series} series @returns {ArrayLike<number>} */
const up = ({ source, y, curve }) => (curve === undefined ? source.data[y] : source.data[y]?.[curve]) ?? []
/** @param {Series} series */
const length = series => across(series).length

/** What a point says. @param {Series} series @param {number} at */
function said(series, at) {
  const row = series.curve ?? at
  const special = { data_x: across(series)[at], data_y: up(series)[at], index: row }
  const write = (/** @type {string} */ template) => String(replace_placeholders(template, series.source, row, {}, special))
  // As in the tooltip itself: a name such as pass@k is no template.
  const parts = series.tips.map(tip => (typeof tip === 'string' ? write(tip) : `${tip[0]} ${write(tip[1])}`))
  return [series.name, parts.join('; ')].filter(Boolean).join(': ')
}

/** One figure's reading. */
class Reading {
  /** Where the focus stands: which of the series, and which of its points. */
  row = 0
  at = 0
  refreshing = 0

  /** @param {HTMLElement} plot @param {any} view @param {Record<string, string>} words */
  constructor(plot, view, words) {
    this.view = view
    this.place = document.createElement('div')
    this.place.className = 'reading'
    this.place.tabIndex = 0
    // A slider is what a screen reader hands the arrow keys to, and whose text it speaks as that changes.
    this.place.setAttribute('role', 'slider')
    const title = plot.closest('figure')?.querySelector('.figure-title')?.textContent ?? ''
    this.place.setAttribute('aria-label', words.reading.replace('{title}', title))
    this.ring = this.place.appendChild(document.createElement('span'))
    this.ring.className = 'reading-ring'
    this.line = this.place.appendChild(document.createElement('p'))
    this.line.className = 'reading-line'
    this.text = this.line.appendChild(document.createElement('span'))
    const keys = this.line.appendChild(document.createElement('small'))
    keys.textContent = words.reading_keys
    this.place.addEventListener('keydown', event => this.pressed(event))
    this.place.addEventListener('focus', () => this.show())
    for (const source of new Set(view.model.renderers.map((/** @type {any} */ one) => one.data_source))) {
      if (source) /** @type {any} */ (source).connect(/** @type {any} */ (source).properties.data.change, () => this.changed())
    }
    plot.parentElement?.append(this.place)
    this.show()
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const rows = readable(this.view.model)
    const last = length(rows[this.row] ?? rows[0] ?? { source: { data: {} }, x: '', y: '' }) - 1
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowRight: () => { this.at += 1 },
      ArrowLeft: () => { this.at -= 1 },
      PageUp: () => { this.at += 10 },
      PageDown: () => { this.at -= 10 },
      Home: () => { this.at = 0 },
      End: () => { this.at = last },
      ArrowUp: () => { this.row += rows.length - 1 },
      ArrowDown: () => { this.row += 1 },
    }
    if (!moves[event.key]) return
    event.preventDefault()
    moves[event.key]()
    this.row %= Math.max(1, rows.length)
    this.show()
  }

  /** New columns have come: said anew for who is reading, not more often than can be heard. */
  changed() {
    if (this.refreshing) return
    this.refreshing = window.setTimeout(() => {
      this.refreshing = 0
      if (document.activeElement === this.place) this.show()
      else this.place.hidden = readable(this.view.model).length === 0
    }, 400)
  }

  show() {
    const rows = readable(this.view.model)
    this.place.hidden = rows.length === 0
    if (!rows.length) return
    this.row = Math.min(this.row, rows.length - 1)
    const series = rows[this.row]
    this.at = Math.max(0, Math.min(this.at, length(series) - 1))
    const text = said(series, this.at)
    if (this.text.textContent !== text) this.text.textContent = text
    for (const [name, value] of Object.entries({ valuemin: 1, valuemax: length(series), valuenow: this.at + 1, valuetext: text })) {
      this.place.setAttribute(`aria-${name}`, String(value))
    }
    const { frame, bbox } = this.view
    const x = frame.x_scale.compute(Number(across(series)[this.at])), y = frame.y_scale.compute(Number(up(series)[this.at]))
    this.ring.hidden = !(x >= 0 && x <= bbox.width && y >= 0 && y <= bbox.height)
    this.ring.style.translate = `${x}px ${y}px`
  }
}

/**
 * Makes every figure of a lab readable by keyboard.
 * @param {HTMLElement} root
 * @param {Map<string, any>} views of the figures, by name
 * @param {Record<string, string>} words
 */
export function attach(root, views, words) {
  for (const plot of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.plot[data-root]'))) {
    const view = views.get(plot.dataset.root ?? '')
    if (view) new Reading(plot, view, words)
  }
  root.dataset.reading = 'ready'
}
