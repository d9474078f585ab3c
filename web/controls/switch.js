/**
 * On or off, in a native checkbox that says it is a switch.
 * @param {{model: Model}} argument
 */
export function render({ model }) {
  const box = /** @type {HTMLInputElement} */ (element('input', { type: 'checkbox', id: 'box', role: 'switch' }))
  const { root } = dress(model, 'box', [box], [])
  const show = () => { box.checked = model.value }
  box.addEventListener('change', () => { model.value = box.checked })
  model.on('value', show)
  show()
  return root
}
