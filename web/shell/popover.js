// A term, a source or a status explained where it stands: on hover, focus and tap. The text is that of the list at the end
// of the page, to which the link leads when there are no scripts.

const LINKS = 'a.term, a.badge, a.cited'
const box = document.createElement('span')
box.className = 'popover'
box.id = 'popover'
box.hidden = true
/** @type {HTMLElement | null} */
let owner = null
let pinned = false
let leaving = 0

/** Makes every term, source and badge of the page explain itself. */
export function wake() {
  document.addEventListener('pointerover', event => {
    const link = linkOf(event)
    if (box.contains(/** @type {Node} */ (event.target))) clearTimeout(leaving)
    else if (link && /** @type {PointerEvent} */ (event).pointerType !== 'touch') show(link)
  })
  document.addEventListener('pointerout', event => {
    if (owner && !pinned && (linkOf(event) === owner || box.contains(/** @type {Node} */ (event.target)))) later()
  })
  document.addEventListener('focusin', event => {
    const link = linkOf(event)
    if (link) show(link)
    else if (!box.contains(/** @type {Node} */ (event.target))) hide()
  })
  document.addEventListener('click', event => {
    const link = linkOf(event)
    const mouse = /** @type {MouseEvent} */ (event)
    if (!link) { if (!box.contains(/** @type {Node} */ (event.target))) hide(); return }
    if (mouse.ctrlKey || mouse.metaKey || mouse.shiftKey) return
    event.preventDefault()
    if (owner === link && pinned) { hide(); return }
    show(link)
    pinned = true
  })
  addEventListener('resize', hide)
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || box.hidden) return
    const back = box.contains(document.activeElement) ? owner : null
    hide()
    back?.focus()
    hide()
  })
}

/** @param {Event} event @returns {HTMLElement | null} */
function linkOf(event) {
  return event.target instanceof Element ? event.target.closest(LINKS) : null
}

function later() {
  clearTimeout(leaving)
  leaving = setTimeout(hide, 250)
}

function hide() {
  clearTimeout(leaving)
  owner?.removeAttribute('aria-describedby')
  owner = null
  pinned = false
  box.hidden = true
  box.remove()
}

/** @param {HTMLElement} link */
function show(link) {
  clearTimeout(leaving)
  if (owner === link) return
  hide()
  const target = document.getElementById((link.getAttribute('href') ?? '#').slice(1))
  if (!target) return
  const copy = /** @type {HTMLElement} */ (target.cloneNode(true))
  for (const one of copy.querySelectorAll('[id]')) one.removeAttribute('id')
  box.replaceChildren(...copy.childNodes)
  owner = link
  link.setAttribute('aria-describedby', box.id)
  // Beside its owner in the document, so that the Tab key goes from the term into the explanation's own links.
  link.after(box)
  box.hidden = false
  const at = link.getClientRects()[0] ?? link.getBoundingClientRect()
  const wide = document.documentElement.clientWidth
  const left = Math.max(12, Math.min(at.left, wide - box.offsetWidth - 12))
  const below = at.bottom + box.offsetHeight + 12 < innerHeight || at.top < box.offsetHeight + 12
  box.style.left = `${left + scrollX}px`
  box.style.top = `${(below ? at.bottom + 6 : at.top - box.offsetHeight - 6) + scrollY}px`
}
