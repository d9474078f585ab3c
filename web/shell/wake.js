// A lab inside a text wakes when the reader comes near it: until then the page is text and loads like text.

const own = /** @type {HTMLScriptElement} */ (document.getElementById('wake'))
const lab = /** @type {HTMLElement} */ (document.getElementById('lab'))
const here = new URL('./', import.meta.url)
let awake = false

/** @param {string} name a script that must run before the next one */
function vendor(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = new URL(`../vendor/${name}`, here).href
    script.async = false
    script.onload = () => resolve(undefined)
    script.onerror = () => reject(new Error(name))
    document.head.append(script)
  })
}

async function wake() {
  if (awake) return
  awake = true
  near.disconnect()
  try {
    // Python has the longest way to go, and goes it beside Bokeh's scripts.
    const boot = import('./boot.js').catch(() => { throw new Error('boot.js') })
    await Promise.all([boot, ...(own.dataset.vendor ?? '').split(' ').map(vendor)])
    await import('./lab.js').catch(error => { throw /fetch|import|load/i.test(error?.message) ? new Error('lab.js') : error })
  } catch (error) {
    const words = JSON.parse(document.getElementById('lab-words')?.textContent ?? '{}')
    const place = /** @type {HTMLElement} */ (lab.querySelector('[data-problem]'))
    const what = String(error instanceof Error ? error.message : error).slice(0, 120)
    place.textContent = String(words.failed_figures).replace('{what}', () => what)
    place.hidden = false
    document.dispatchEvent(new CustomEvent('lost', { detail: what }))
  }
}

const near = new IntersectionObserver(entries => { if (entries.some(entry => entry.isIntersecting)) wake() }, { rootMargin: '900px 0px' })
near.observe(lab)
// A suggestion clicked before the lab is awake: the address is what lab.js opens first.
document.addEventListener('click', event => {
  const link = /** @type {Element} */ (event.target).closest('a[data-try]')
  if (awake || !(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  history.replaceState(null, '', location.pathname + link.search + location.hash)
  lab.scrollIntoView({ block: 'start' })
  wake()
})
addEventListener('beforeprint', wake)
