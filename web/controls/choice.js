/**
 * A list of named options in a native select.
 * @param {{model: Model & {options: Record<string, string>}}} argument
 */
export function render({ model }) {
  const options = Object.entries(model.options).map(([value, text]) => element('option', { value }, text))
  const select = /** @type {HTMLSelectElement} */ (element('select', { id: 'select' }, ...options))
  const { root } = dress(model, 'select', [], [select])
  const show = () => { select.value = model.value }
  select.addEventListener('change', () => { model.value = select.value })
  model.on('value', show)
  show()
  return root
}
