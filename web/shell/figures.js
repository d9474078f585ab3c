// A lab's Bokeh document in the page: shown in its slots, painted in the theme's colours, fed with columns.

import palette from './palette.js'

const Bokeh = /** @type {any} */ (window).Bokeh

// Panel imports its components through es-module-shims where that is present; the browser's own import will do.
Object.assign(window, {
  importShim: Object.assign((/** @type {string} */ url) => import(url), { addImportMap() {} }),
})

// Bokeh ships numbers in English only; ticks and tooltips are respelled after it.
const spell = (/** @type {string} */ text, /** @type {string} */ language) => {
  const signed = text.replace('-', '−')
  if (language !== 'ru') return signed
  return signed.replace(/[.,]/g, mark => (mark === '.' ? ',' : '\u00a0')).replace('%', '\u00a0%')
}
// Numbers too long for an axis, in powers of ten as a still writes them; Bokeh would spell out every zero.
const far = (/** @type {any} */ value, /** @type {string} */ format) => {
  const out = typeof value === 'number' && !/[%e]/.test(format) && Math.abs(value) >= (format.startsWith('0,0') ? 1e10 : 1e6)
  return out ? Number(value.toPrecision(6)).toExponential().replace('e+', 'e') : null
}
const { NumeralTickFormatter } = Bokeh.require('models/formatters')
const { DEFAULT_FORMATTERS } = Bokeh.require('core/util/templating')
const { doFormat } = NumeralTickFormatter.prototype
NumeralTickFormatter.prototype.doFormat = function (/** @type {number[]} */ ticks, /** @type {any} */ how) {
  const spelled = (/** @type {string} */ text, /** @type {number} */ at) => spell(far(ticks[at], this.format) ?? text, document.documentElement.lang)
  return doFormat.call(this, ticks, how).map(spelled)
}
const { numeral } = DEFAULT_FORMATTERS
DEFAULT_FORMATTERS.numeral = (/** @type {any} */ value, /** @type {string} */ format, /** @type {any} */ special) =>
  spell(far(value, format) ?? numeral(value, format, special), document.documentElement.lang)

const theme = () => {
  const chosen = document.documentElement.dataset.theme
  return chosen ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
}

/**
 * Swaps every palette colour of a document for the same role's colour in another theme.
 * @param {any} document_
 * @param {string} from
 * @param {string} to
 */
function paint(document_, from, to) {
  /** @type {Record<string, string>} */
  const swap = {}
  for (const [role, value] of Object.entries(/** @type {any} */ (palette)[from])) swap[value] = /** @type {any} */ (palette)[to][role]
  for (const model of document_._all_models.values()) {
    for (const property of model) {
      if (property.attr === 'palette') {
        const colours = property.get_value()
        if (Array.isArray(colours)) model.setv({ palette: colours.map(one => swap[one] ?? one) })
        continue
      }
      if (!property.attr.endsWith('color') || property.is_unset) continue
      const value = property.get_value()
      const old = typeof value === 'string' ? value : value?.value
      if (typeof old !== 'string' || !(old in swap)) continue
      model.setv({ [property.attr]: typeof value === 'string' ? swap[old] : { ...value, value: swap[old] } })
    }
  }
}

/** A document shown in the page: its controls' models and its sources, by name. */
export class Figures {
  /** What is drawn in each slot, by the slot's name. @type {Map<string, any>} */
  views = new Map()
  /** Which figure draws a source. @type {Map<string, string>} */
  drawnBy = new Map()
  /** @type {Set<string>} */
  inSight = new Set()
  /** Columns that wait for their figure's turn. @type {Map<string, Record<string, Record<string, unknown>>>} */
  waiting = new Map()
  feeding = false
  later = 0
  /** @type {(() => void) | undefined} */
  standing

  /**
   * @param {any} content what the build serialised
   * @param {HTMLElement} root holds the slots, marked with `data-root`
   */
  static async show(content, root) {
    const document_ = Bokeh.require('document').Document.from_json(content.document)
    let shown = 'light'
    const repaint = () => {
      const wanted = theme()
      if (wanted !== shown) paint(document_, shown, wanted)
      shown = wanted
    }
    repaint()
    const slots = content.roots.map((/** @type {string} */ name) => root.querySelector(`[data-root="${CSS.escape(name)}"]`))
    const views = await Bokeh.embed.add_document_standalone(document_, root, slots)
    document.addEventListener('themechange', repaint)
    // Bokeh makes every canvas a stop of the Tab key, though there is nothing a key could do there.
    for (const view of views) view.canvas_view?.events_el?.removeAttribute('tabindex')
    // Canvases drawn before the fonts came are drawn again with them.
    document.fonts.ready.then(() => { for (const view of views) view.invalidate_layout?.() })
    const made = new Figures(document_, content.roots)
    made.views = new Map([...views].map(view => [view.model.name, view]))
    made.observe(root)
    return made
  }

  /** @param {any} document_ @param {string[]} roots */
  constructor(document_, roots) {
    this.document = document_
    /** @type {Map<string, any>} */
    this.controls = new Map()
    for (const name of roots) {
      if (name.startsWith('control:')) this.controls.set(name.slice(8), document_.get_model_by_name(name).data)
    }
  }

  /**
   * Calls back when the learner, or `set`, changes a control.
   * @param {(name: string, value: unknown) => void} callback
   */
  watch(callback) {
    for (const [name, model] of this.controls) {
      model.connect(model.properties.value.change, () => callback(name, model.value))
    }
  }

  values() {
    return Object.fromEntries([...this.controls].map(([name, model]) => [name, model.value]))
  }

  /** @param {Record<string, unknown>} values */
  set(values) {
    for (const [name, value] of Object.entries(values)) {
      const model = this.controls.get(name)
      if (model && JSON.stringify(model.value) !== JSON.stringify(value)) model.setv({ value })
    }
  }

  /** Rows that went to Python as text have come back as rows. @param {Record<string, unknown>} values */
  settle(values) {
    for (const [name, model] of this.controls) {
      if (typeof model.value === 'string' && typeof values[name] === 'object') model.setv({ value: values[name] })
    }
  }

  /** Keeps controls as they are. @param {string[]} names */
  lock(names) {
    for (const name of names) this.controls.get(name)?.setv({ locked: true })
  }

  /** Says at a control what is wrong with it, and takes back what was said at others. @param {string} name @param {string} text */
  blame(name, text) {
    for (const [one, model] of this.controls) model.setv({ problem: one === name ? text : '' })
  }

  /** Learns which figures are in sight, and which draws what. @param {HTMLElement} root */
  observe(root) {
    for (const model of this.document._all_models.values()) {
      if (!model.name?.startsWith('figure:')) continue
      for (const renderer of model.renderers) {
        const name = renderer.data_source?.name
        if (name?.startsWith('source:') && !this.drawnBy.has(name.slice(7))) this.drawnBy.set(name.slice(7), model.name)
      }
    }
    const watcher = new IntersectionObserver(entries => {
      for (const entry of entries) {
        const name = /** @type {HTMLElement} */ (entry.target).dataset.root ?? ''
        if (entry.isIntersecting) this.inSight.add(name)
        else this.inSight.delete(name)
      }
    }, { rootMargin: '100px' })
    for (const plot of root.querySelectorAll('.plot[data-root]')) watcher.observe(plot)
  }

  /** @param {Record<string, Record<string, unknown>>} sources */
  feed(sources) {
    for (const [name, columns] of Object.entries(sources)) {
      const source = this.document.get_model_by_name(`source:${name}`)
      if (source) source.data = columns
    }
  }

  /**
   * The same for many figures and often: one figure a frame of the screen, those in sight first, so that no task is long.
   * @param {Record<string, Record<string, unknown>>} sources
   * @returns {Promise<void>} resolved when what is in sight stands
   */
  spread(sources) {
    for (const [name, columns] of Object.entries(sources)) {
      const figure = this.drawnBy.get(name) ?? ''
      this.waiting.set(figure, { ...this.waiting.get(figure), [name]: columns })
    }
    return new Promise(resolve => {
      this.standing?.()
      this.standing = resolve
      // Those out of sight are overtaken.
      clearTimeout(this.later)
      if (!this.feeding) this.feedNext()
    })
  }

  feedNext() {
    const names = [...this.waiting.keys()]
    const next = names.find(name => this.inSight.has(name))
    this.feeding = next !== undefined
    if (next === undefined) { this.standing?.(); this.standing = undefined }
    const name = next ?? names[0]
    if (name === undefined) return
    const sources = this.waiting.get(name) ?? {}
    this.waiting.delete(name)
    this.feed(sources)
    // What is out of sight has time; while a process runs most of it is replaced before its turn comes.
    // Fed between two frames, not within one: the data and their painting are two short tasks, not a long one.
    if (this.feeding) requestAnimationFrame(() => setTimeout(() => this.feedNext()))
    else this.later = setTimeout(() => { if (!this.feeding) this.feedNext() }, 150)
  }
}
