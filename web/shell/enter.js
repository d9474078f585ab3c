// The front door: to the reader's language, Russian where the browser names neither, with the query kept.
(() => {
  const known = ['ru', 'en']
  const wanted = (navigator.languages ?? [navigator.language]).map(tag => String(tag).slice(0, 2).toLowerCase())
  const language = wanted.find(tag => known.includes(tag)) ?? 'ru'
  location.replace(`./${language}/${location.search}${location.hash}`)
})()
