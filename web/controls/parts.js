// Shared by every control: this text is put before each component's own module at build time.

/**
 * @typedef {Object} Model what Panel gives a component: parameters as properties, `on` for their changes
 * @property {any} value
 * @property {any} initial
 * @property {string} label
 * @property {string} help
 * @property {Record<string, string>} words
 * @property {string} language
 * @property {string} role
 * @property {boolean} locked
 * @property {string} problem
 * @property {(name: string, callback: () => void) => void} on
 */

/**
 * An element with properties and children.
 * @param {string} tag
 * @param {Record<string, any>} properties
 * @param {(Node | string)[]} children
 */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) /** @type {any} */ (made)[key] = value
    else made.setAttribute(key, value)
  }
  made.append(...children)
  return made
}

/**
 * The number that a person wrote with a comma or a point, an ordinary or a true minus, spaces between thousands.
 * @param {string} text
 */
function readNumber(text) {
  const plain = text.trim().replace(/[\s\u00a0\u202f]/g, '').replace('−', '-').replace(',', '.')
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) && plain.length <= 60 ? Number(plain) : NaN
}

/**
 * A number as the language writes it, with every digit that matters.
 * @param {number} value
 * @param {string} language
 */
function writeNumber(value, language) {
  const small = value !== 0 && Math.abs(value) < 1e-3
  const text = small ? value.toExponential().replace('e-', 'e−') : String(Number(value.toPrecision(12)))
  const signed = text.replace(/^-/, '−')
  return language === 'ru' ? signed.replace('.', ',') : signed
}

/** @param {string} template @param {Record<string, string>} values */
function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole)
}

/** @param {any} a @param {any} b */
function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b)
}

/**
 * The frame around an input: label, help on request, reset to default, a place for a message.
 * @param {Model} model
 * @param {string} inputId the element that the label names
 * @param {Node[]} head what stands on the label's line
 * @param {Node[]} body what stands below
 * @param {{symbol?: string, group?: boolean}} [shape]
 */
function dress(model, inputId, head, body, shape = {}) {
  const { words } = model
  const symbol = shape.symbol ? [element('span', { className: 'symbol' }, shape.symbol)] : []
  const label = shape.group
    ? element('span', { className: 'label', id: 'label' }, model.label, ...symbol)
    : element('label', { className: 'label', id: 'label', htmlFor: inputId }, model.label, ...symbol)
  const note = element('p', { className: 'help', id: 'help', hidden: true }, model.help)
  const message = element('p', { className: 'message', id: 'message', role: 'alert' })
  const ask = element('button', { type: 'button', className: 'icon', title: words.help }, '?')
  ask.setAttribute('aria-label', fill(words.help_for, { label: model.label }))
  ask.setAttribute('aria-expanded', 'false')
  ask.setAttribute('aria-controls', 'help')
  ask.addEventListener('click', () => {
    note.hidden = !note.hidden
    ask.setAttribute('aria-expanded', String(!note.hidden))
  })
  const back = element('button', { type: 'button', className: 'icon', title: words.reset }, '↺')
  back.setAttribute('aria-label', fill(words.reset_for, { label: model.label }))
  back.addEventListener('click', () => { model.value = structuredClone(model.initial) })
  const show = () => { /** @type {any} */ (back).disabled = same(model.value, model.initial) }
  model.on('value', show)
  show()
  const line = element('div', { className: 'head' }, label, ...head, back, ask)
  const root = element('div', { className: `control ${model.role}` }, line, ...body, message, note)
  /** @param {string} text */
  const say = text => { message.textContent = text }
  model.on('problem', () => say(model.problem))
  const lock = () => {
    if (!model.locked) return
    for (const one of root.querySelectorAll('input, select, textarea, button')) /** @type {any} */ (one).disabled = one !== ask
    if (!root.querySelector('.lock')) label.append(element('span', { className: 'lock' }, ` · ${words.locked}`))
  }
  model.on('locked', lock)
  queueMicrotask(lock)
  // After the component has shown the value, which may have made new fields.
  model.on('value', () => queueMicrotask(lock))
  return { root, say }
}
