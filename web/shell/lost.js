// Says that a part of the page itself has not come, and offers to load it again. A classic script before all others:
// what the others would say about themselves is lost with them.
(() => {
  const say = (/** @type {string} */ what) => {
    const place = document.querySelector('[data-lost]')
    if (!(place instanceof HTMLElement) || !place.hidden) return
    const text = /** @type {HTMLElement} */ (place.querySelector('p'))
    text.textContent = (text.textContent ?? '').replace('{what}', () => what)
    place.querySelector('button')?.addEventListener('click', () => location.reload())
    place.hidden = false
  }
  const soon = (/** @type {string} */ what) => {
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => say(what))
    else say(what)
  }
  // Heard on its way down: the errors of elements do not rise.
  addEventListener('error', event => {
    if (event.target instanceof HTMLScriptElement) soon(new URL(event.target.src).pathname.split('/').pop() ?? '')
  }, true)
  document.addEventListener('lost', event => soon(String(/** @type {CustomEvent} */ (event).detail)))
})()
