// How texts are indexed and asked: the build and the page use the same rules, or nothing would be found.

const ENDINGS = {
  // Endings of cases, numbers and persons, longest first; what is left is found by its beginning.
  ru: /(?:иями|ями|ами|ией|иям|ием|иях|ого|его|ому|ему|ыми|ими|ешь|ишь|ете|ите|ает|яет|уют|ают|яют|ться|ть|ев|ов|ие|ье|еи|ии|ий|ой|ей|ый|ям|ем|ам|ом|ях|ах|ую|юю|ая|яя|ою|ею|ия|ья|ы|и|е|а|я|о|у|ю|ь|й)$/,
  en: /(?:'s|ings?|edly|ed|ies|es|s|ly)$/,
}

/** @param {string} term */
export function stem(term) {
  const plain = term.toLowerCase().replaceAll('ё', 'е').normalize('NFC')
  const endings = /[а-я]/.test(plain) ? ENDINGS.ru : ENDINGS.en
  const short = plain.replace(endings, '')
  return short.length >= 3 ? short : plain
}

export const options = {
  fields: ['title', 'section', 'text'],
  storeFields: ['title', 'section', 'text', 'url'],
  processTerm: stem,
  searchOptions: {
    boost: { title: 3, section: 2 },
    prefix: true,
    fuzzy: (/** @type {string} */ term) => (term.length > 4 ? 0.2 : false),
    combineWith: 'AND',
  },
}
