// Predict before it is shown: the learner commits to an answer, then the lab opens the state that decides.

/**
 * @param {HTMLElement} root
 * @param {Record<string, string>} words
 * @param {(query: string) => void} open
 */
export function predict(root, words, open) {
  const form = /** @type {HTMLFormElement | null} */ (root.querySelector('[data-predict]'))
  const answer = form?.querySelector('details')
  if (!form || !answer) return
  form.addEventListener('submit', event => {
    event.preventDefault()
    const chosen = new FormData(form).get('predict')
    if (chosen === null) { form.querySelector('input')?.focus(); return }
    const verdict = chosen === form.dataset.right ? 'right' : 'wrong'
    const place = form.querySelector('[data-verdict]')
    if (place) place.textContent = words[verdict]
    form.dataset.verdict = verdict
    for (const one of form.querySelectorAll('input, button')) /** @type {HTMLInputElement} */ (one).disabled = true
    answer.open = true
    answer.querySelector('p')?.focus({ preventScroll: true })
    open(form.dataset.query ?? '')
  })
}
