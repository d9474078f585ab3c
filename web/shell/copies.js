// What a lab's buttons give away of its present state: a link, an embed, notebooks, folders for other engines.

import { copy, save } from './hand-over.js'
import { ask } from './python.js'

/** The button that an event came from. @param {Event} event */
const pressedIn = event => /** @type {HTMLButtonElement} */ (/** @type {Element} */ (event.target).closest('button'))

/**
 * @param {HTMLElement} root the lab
 * @param {Record<string, string>} words
 * @param {{query: () => string, teaching: string, problem: (text: string) => void}} own the state's query, the end of a
 *   query that keeps a teacher's wishes, and where to say what failed
 * @returns {Record<string, (event: Event) => void>} by the name in `data-action`
 */
export function copies(root, words, { query, teaching, problem }) {
  const { lab = '', language = 'en' } = root.dataset
  // An embed has no such dialog, and no button that asks for it.
  const dialog = () => /** @type {HTMLDialogElement} */ (root.querySelector('dialog'))
  const code = () => /** @type {HTMLTextAreaElement} */ (dialog().querySelector('textarea'))

  /** @param {string} path */
  function permalink(path) {
    const url = new URL(path, location.href)
    url.search = [query(), teaching].filter(Boolean).join('&')
    return url.href
  }

  /** Whether the last attempt failed and the page says so. */
  let failed = false

  /**
   * @param {HTMLButtonElement} pressed
   * @param {'notebook' | 'practicum' | 'trl' | 'verl'} what the lab's own notebook, that of a language model, or an engine's folder
   * @param {string} type its media type
   */
  async function take(pressed, what, type) {
    const label = pressed.textContent
    pressed.disabled = true
    pressed.textContent = words.colab_busy
    const reply = await ask({ type: 'notebook', lab, language, query: query(), what })
    pressed.disabled = false
    pressed.textContent = label
    if (reply.type === 'file') {
      save(reply.bytes ?? reply.text, reply.name, type)
      if (failed) problem('')
      failed = false
      return
    }
    failed = true
    const said = reply.type === 'failed' ? reply.what : ''
    const lost = reply.type === 'failed' && reply.stage === 'download'
    problem(words.colab_failed.replace('{what}', () => (lost ? words.failed_file.replace('{what}', () => said) : said)))
  }

  function embed() {
    const title = root.querySelector('.lab-title')?.textContent?.replaceAll('"', '&quot;') ?? ''
    code().textContent = `<iframe src="${permalink(root.dataset.embed ?? '').replaceAll('&', '&amp;')}" title="${title}" loading="lazy" `
      + 'style="width: 100%; height: 900px; border: 0" sandbox="allow-scripts allow-downloads allow-popups"></iframe>\n'
      + `<script src="${new URL('embed.js', import.meta.url).href}" async></script>`
    dialog().showModal()
  }

  return {
    link: event => copy(permalink(root.dataset.page ?? ''), pressedIn(event), words.copied),
    colab: event => take(pressedIn(event), 'notebook', 'application/x-ipynb+json'),
    practicum: event => take(pressedIn(event), 'practicum', 'application/x-ipynb+json'),
    trl: event => take(pressedIn(event), 'trl', 'application/zip'),
    verl: event => take(pressedIn(event), 'verl', 'application/zip'),
    embed,
    'copy-embed': event => copy(code().value, pressedIn(event), words.copied),
    'copy-text': event => copy(pressedIn(event).closest('.lab-text')?.querySelector('pre')?.textContent ?? '', pressedIn(event), words.copied),
    'close-embed': () => dialog().close(),
  }
}
