/**
 * A short list of numbers: a field each, one more, one less, or a whole list pasted into any field.
 * @param {{model: Model & {low: number, high: number, fewest: number, most: number}}} argument
 */
export function render({ model }) {
  const { low, high, fewest, most, language, words } = model
  const cells = element('div', { className: 'cells', role: 'group' })
  cells.setAttribute('aria-labelledby', 'label')
  const fewer = /** @type {HTMLButtonElement} */ (element('button', { type: 'button', className: 'step', title: words.remove }, '−'))
  const more = /** @type {HTMLButtonElement} */ (element('button', { type: 'button', className: 'step', title: words.add }, '+'))
  fewer.setAttribute('aria-label', fill(words.remove_for, { label: model.label }))
  more.setAttribute('aria-label', fill(words.add_for, { label: model.label }))
  const { root, say } = dress(model, '', [], [cells, element('div', { className: 'steps' }, fewer, more)], { group: true })

  // Semicolons and white space part the items; commas do only where neither stands, since they may be decimal.
  const split = (/** @type {string} */ text) => {
    const bare = text.trim().replace(/^\[|\]$/g, '').trim()
    const parts = /[;\s]/.test(bare) ? bare.split(/[;\s]+/).map(part => part.replace(/,$/, '')) : bare.split(',')
    return parts.filter(part => part !== '').map(readNumber)
  }
  const refuse = (/** @type {string} */ text) => say(fill(words.not_list, {
    label: model.label, value: text.slice(0, 40), low: writeNumber(low, language), high: writeNumber(high, language),
    fewest: String(fewest), most: String(most),
  }))
  const accept = (/** @type {number[]} */ values, /** @type {string} */ text) => {
    const fine = values.length >= fewest && values.length <= most && values.every(item => item >= low && item <= high)
    if (!fine) { refuse(text); return false }
    model.value = values
    return true
  }
  const cell = (/** @type {number} */ value, /** @type {number} */ index) => {
    const field = /** @type {HTMLInputElement} */ (element('input', {
      type: 'text', className: 'field', inputMode: low < 0 ? 'text' : 'decimal', autocomplete: 'off', value: writeNumber(value, language), size: 4,
    }))
    field.setAttribute('aria-label', fill(words.item, { label: model.label, index: String(index + 1) }))
    const type = () => {
      const typed = readNumber(field.value)
      const values = [...model.value]
      values[index] = typed
      if (typed === model.value[index]) { say(''); field.removeAttribute('aria-invalid') }
      else if (!accept(values, field.value)) field.setAttribute('aria-invalid', 'true')
    }
    field.addEventListener('change', type)
    field.addEventListener('keydown', event => {
      const { key } = /** @type {KeyboardEvent} */ (event)
      if (key === 'Enter') type()
      if (key === 'ArrowUp' || key === 'ArrowDown') {
        event.preventDefault()
        const to = Math.min(Math.max(model.value[index] + (key === 'ArrowUp' ? 0.1 : -0.1), low), high)
        accept(model.value.map((/** @type {number} */ old, /** @type {number} */ at) => at === index ? Number(to.toPrecision(12)) : old), field.value)
      }
    })
    field.addEventListener('paste', event => {
      const text = /** @type {ClipboardEvent} */ (event).clipboardData?.getData('text') ?? ''
      if (!/[;\s,]/.test(text.trim()) || split(text).length < 2) return
      event.preventDefault()
      accept(split(text.slice(0, 4000)), text)
    })
    return field
  }
  const show = () => {
    // Fields are kept where they stand, so that the one in use keeps its focus.
    while (cells.children.length > model.value.length) cells.lastChild?.remove()
    model.value.forEach((/** @type {number} */ value, /** @type {number} */ index) => {
      const old = /** @type {HTMLInputElement | undefined} */ (cells.children[index])
      if (!old) { cells.append(cell(value, index)); return }
      old.value = writeNumber(value, language)
      old.removeAttribute('aria-invalid')
    })
    for (const field of cells.children) {
      const { value } = /** @type {HTMLInputElement} */ (field)
      field.classList.toggle('zero', readNumber(value) === 0)
    }
    fewer.disabled = model.value.length <= fewest
    more.disabled = model.value.length >= most
    say('')
  }
  fewer.addEventListener('click', () => { model.value = model.value.slice(0, -1) })
  more.addEventListener('click', () => { model.value = [...model.value, Math.max(low, 0)] })
  model.on('value', show)
  show()
  return root
}
