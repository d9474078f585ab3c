/**
 * A slider with a field: drag, arrow keys, or type the exact value. Without a slider: the field, and a button for the next value.
 * @param {{model: Model & {low: number, high: number, step: number, integer: boolean, logarithmic: boolean,
 *   slider: boolean, symbol: string, unit: string}}} argument
 */
export function render({ model }) {
  const { low, high, step, logarithmic, integer, language, words } = model
  // A logarithmic slider moves in hundredths of a decade, an ordinary one in its own step.
  const position = (/** @type {number} */ value) => logarithmic ? Math.round(100 * Math.log10(value)) : value
  const value = (/** @type {number} */ at) => {
    if (at === position(low)) return low
    if (at === position(high)) return high
    return Number((logarithmic ? 10 ** (at / 100) : at).toPrecision(logarithmic ? 3 : 12))
  }
  const range = /** @type {HTMLInputElement} */ (element('input', {
    type: 'range', id: 'range', min: String(position(low)), max: String(position(high)), step: logarithmic ? '1' : String(step),
  }))
  const field = /** @type {HTMLInputElement} */ (element('input', {
    type: 'text', id: 'field', className: 'field', inputMode: low < 0 || logarithmic ? 'text' : 'decimal', autocomplete: 'off', spellcheck: false,
  }))
  if (model.slider) field.setAttribute('aria-label', fill(words.exact_for, { label: model.label }))
  const again = element('button', { type: 'button', className: 'step again' }, words.again)
  again.addEventListener('click', () => { model.value = model.value < high ? model.value + step : low })
  const head = [/** @type {Node} */ (field), ...(model.unit ? [element('span', { className: 'unit' }, model.unit)] : [])]
  const { root, say } = dress(model, model.slider ? 'range' : 'field', head, [model.slider ? range : again], { symbol: model.symbol })

  const show = () => {
    range.value = String(position(model.value))
    range.setAttribute('aria-valuetext', writeNumber(model.value, language))
    range.style.setProperty('--filled', `${100 * (Number(range.value) - Number(range.min)) / (Number(range.max) - Number(range.min) || 1)}%`)
    field.value = writeNumber(model.value, language)
    field.removeAttribute('aria-invalid')
    say('')
  }
  const type = () => {
    const typed = readNumber(field.value)
    if (typed >= low && typed <= high && (!integer || Number.isInteger(typed))) {
      if (typed === model.value) show()
      else model.value = typed
      return
    }
    field.setAttribute('aria-invalid', 'true')
    field.setAttribute('aria-describedby', 'message')
    say(fill(integer ? words.not_integer : words.not_number, {
      label: model.label, value: field.value.slice(0, 40), low: writeNumber(low, language), high: writeNumber(high, language),
    }))
  }
  // A finger that turned out to scroll the page did not mean the slider on which it came down.
  let held = model.value
  range.addEventListener('pointerdown', () => { held = model.value })
  range.addEventListener('pointercancel', () => { model.value = held })
  range.addEventListener('input', () => { model.value = value(Number(range.value)) })
  field.addEventListener('change', type)
  field.addEventListener('keydown', event => {
    const { key } = /** @type {KeyboardEvent} */ (event)
    if (key === 'Enter') type()
    if (key === 'Escape') show()
    if (key === 'ArrowUp' || key === 'ArrowDown') {
      event.preventDefault()
      const to = Number(range.value) + (key === 'ArrowUp' ? 1 : -1) * Number(range.step)
      model.value = value(Math.min(Math.max(Number(to.toPrecision(12)), Number(range.min)), Number(range.max)))
    }
  })
  model.on('value', show)
  show()
  return root
}
