// Search: the index of this language, then that of the other; loaded when the field is first used.

import { options, stem } from './search-options.js'

const root = new URL('../', import.meta.url)
const language = document.documentElement.lang
const words = JSON.parse(document.getElementById('search-words')?.textContent ?? '{}')
const field = /** @type {HTMLInputElement} */ (document.getElementById('query'))
const form = /** @type {HTMLFormElement} */ (field.form)
const said = /** @type {HTMLElement} */ (document.querySelector('[data-found]'))
const lists = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-results]')])
const MOST = 20
/** @type {Record<string, Promise<any>>} */
const indexes = {}

/** @param {string} code */
function index(code) {
  indexes[code] ??= (async () => {
    const [{ default: MiniSearch }, response] = await Promise.all([
      import(new URL('vendor/minisearch.js', root).href), fetch(new URL(`assets/search.${code}.json`, root)),
    ])
    if (!response.ok) throw new Error(String(response.status))
    return MiniSearch.loadJSON(await response.text(), options)
  })()
  indexes[code].catch(() => { delete indexes[code] })
  return indexes[code]
}

let latest = 0
async function search() {
  const query = field.value.trim().slice(0, 200)
  const mine = ++latest
  const url = new URL(location.href)
  if (query) url.searchParams.set('q', query)
  else url.searchParams.delete('q')
  try { history.replaceState(null, '', url) } catch { /* a sandboxed frame */ }
  if (query.length < 2) {
    for (const list of lists) show(list, [], query)
    said.textContent = ''
    return
  }
  try {
    const counts = []
    for (const list of lists) {
      const found = (await index(list.dataset.results ?? '')).search(query)
      if (mine !== latest) return
      show(list, found.slice(0, MOST), query)
      counts.push(found.length)
    }
    const [here, there] = counts
    said.textContent = (here + there ? words.found : words.nothing)
      .replace('{here}', String(here)).replace('{there}', String(there)).replace('{query}', query)
  } catch (error) {
    said.textContent = words.failed.replace('{what}', String(error instanceof Error ? error.message : error).slice(0, 80))
  }
}

/** @param {HTMLElement} list @param {any[]} found @param {string} query */
function show(list, found, query) {
  const section = /** @type {HTMLElement} */ (list.closest('section'))
  section.hidden = found.length === 0
  list.replaceChildren(...found.map(one => {
    const item = document.createElement('li')
    const link = document.createElement('a')
    link.href = new URL(`${list.dataset.results}/${one.url}`, root).href
    link.textContent = [one.title, one.section].filter(Boolean).join(' · ')
    const text = document.createElement('p')
    text.append(...excerpt(one.text, query))
    item.append(link, text)
    return item
  }))
}

/** The words around the first hit, hits marked. @param {string} text @param {string} query */
function excerpt(text, query) {
  const stems = query.split(/[\s,.;:!?()«»“”"]+/).filter(Boolean).map(stem)
  const hit = (/** @type {string} */ word) => stems.some(one => stem(word).startsWith(one))
  const tokens = text.split(/(\s+)/)
  const bare = (/** @type {string} */ token) => token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  const first = Math.max(0, tokens.findIndex(token => hit(bare(token))))
  const start = Math.max(0, first - 16), end = Math.min(tokens.length, start + 60)
  const pieces = tokens.slice(start, end).map(token => {
    if (!bare(token) || !hit(bare(token))) return token
    const mark = document.createElement('mark')
    mark.textContent = token
    return mark
  })
  return [start ? '… ' : '', ...pieces, end < tokens.length ? ' …' : '']
}

let waiting = 0
field.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(search, 120) })
field.addEventListener('focus', () => { index(language).catch(() => {}) }, { once: true })
form.addEventListener('submit', event => { event.preventDefault(); search() })
document.addEventListener('keydown', event => {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const links = /** @type {HTMLElement[]} */ ([field, ...document.querySelectorAll('[data-results] a')])
  const at = links.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  const next = links[at + (event.key === 'ArrowDown' ? 1 : -1)]
  if (at < 0 || !next) return
  event.preventDefault()
  next.focus()
})
const asked = new URL(location.href).searchParams.get('q')
if (asked) { field.value = asked; search() }
