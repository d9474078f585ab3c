/**
 * The learner's own data in a text area. What is typed goes to Python as it stands, which reads JSON and CSV alike and
 * says what is wrong with which entry; what comes back is a list of rows.
 * @param {{model: Model & {columns: string[], fewest: number, most: number}}} argument
 */
export function render({ model }) {
  const { words, columns } = model
  const area = /** @type {HTMLTextAreaElement} */ (element('textarea', { id: 'area', spellcheck: false, wrap: 'off' }))
  const apply = /** @type {HTMLButtonElement} */ (element('button', { type: 'button', className: 'step again' }, words.apply))
  const shape = element('span', { className: 'unit', id: 'shape' }, fill(words.rows, {
    columns: columns.join(', '), fewest: String(model.fewest), most: String(model.most),
  }))
  const { root } = dress(model, 'area', [], [area, element('div', { className: 'steps' }, apply, shape)])
  area.setAttribute('aria-describedby', 'shape message')
  let told = ''
  const show = () => {
    if (typeof model.value === 'string') return // on its way to Python, as the learner wrote it
    told = [columns.join(', '), ...model.value.map((/** @type {any[]} */ row) => row.join(', '))].join('\n')
    area.value = told
    area.rows = Math.min(Math.max(model.value.length + 1, 3), 10)
    apply.disabled = true
  }
  const send = () => {
    if (area.value === told) return
    told = area.value
    apply.disabled = true
    model.value = area.value
  }
  area.addEventListener('input', () => { apply.disabled = area.value === told })
  area.addEventListener('change', send)
  area.addEventListener('keydown', event => {
    const { key, ctrlKey, metaKey } = /** @type {KeyboardEvent} */ (event)
    if (key === 'Enter' && (ctrlKey || metaKey)) send()
    if (key === 'Escape') show()
  })
  apply.addEventListener('click', send)
  model.on('value', show)
  show()
  return root
}
