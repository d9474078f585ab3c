/**
 * A short text in a text area; every keystroke is judged.
 * @param {{model: Model & {longest: number}}} argument
 */
export function render({ model }) {
  const area = /** @type {HTMLTextAreaElement} */ (element('textarea', { id: 'area', spellcheck: false, rows: 2, maxLength: model.longest }))
  const { root } = dress(model, 'area', [], [area])
  const show = () => { if (area.value !== model.value) area.value = model.value }
  area.addEventListener('input', () => { model.value = area.value })
  model.on('value', show)
  show()
  return root
}
