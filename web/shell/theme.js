// Light or dark: the reader's own choice if there is one, else the system's. Runs before the first paint.
(() => {
  const key = 'rlvr-lab:theme'
  const chosen = () => { try { return localStorage.getItem(key) } catch { return null } }
  const apply = (/** @type {string | null} */ theme) => {
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
    else delete document.documentElement.dataset.theme
    document.dispatchEvent(new Event('themechange'))
  }
  apply(chosen())
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => apply(chosen()))
  document.addEventListener('DOMContentLoaded', () => {
    const select = /** @type {HTMLSelectElement | null} */ (document.getElementById('theme'))
    if (!select) return
    select.value = chosen() ?? 'auto'
    const label = select.closest('label')
    if (label) label.hidden = false
    select.addEventListener('change', () => {
      try {
        if (select.value === 'auto') localStorage.removeItem(key)
        else localStorage.setItem(key, select.value)
      } catch { /* a blocked store only means that the choice lasts as long as the page */ }
      apply(select.value)
    })
  })
})()
