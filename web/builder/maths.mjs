// Typesets formulas: reads a JSON list of [TeX, whether it stands on a line of its own] on standard input, writes the list
// of HTML. Called by maths.py. A formula that does not parse ends the program: its number, a colon, KaTeX's message.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { default: katex } = await import(pathToFileURL(process.argv[2]).href)
const formulas = JSON.parse(readFileSync(0, 'utf8'))
// \signal{p} is p in the colour that the slider, the curve and the text of that meaning have.
const roles = ['signal', 'positive', 'negative', 'silent', 'current', 'old', 'reference']
const macros = Object.fromEntries(roles.map(role => [`\\${role}`, `\\htmlClass{c-${role}}{#1}`]))
// Only colour classes of our own are trusted; an unknown command is an error, not red text.
const trust = context => context.command === '\\htmlClass' && /^c-[a-z-]+$/.test(context.class)
const strict = code => (code === 'htmlExtension' || code === 'unicodeTextInMathMode' ? 'ignore' : 'error')
// Formulas side by side, apart by a \qquad of their own level: each is set alone, so that a narrow page puts them in rows.
const alone = tex => {
  let depth = 0, from = 0
  const parts = []
  for (const { 0: mark, index } of tex.matchAll(/\\(?:begin|left|end|right|qquad)(?![A-Za-z])|\\.|[{}]/gs)) {
    if (['{', '\\begin', '\\left'].includes(mark)) depth += 1
    else if (['}', '\\end', '\\right'].includes(mark)) depth -= 1
    else if (mark === '\\qquad' && depth === 0) { parts.push(tex.slice(from, index)); from = index + mark.length }
  }
  return [...parts, tex.slice(from)].map(part => part.trim()).filter(Boolean)
}
const typeset = ([tex, displayMode], index) => {
  try {
    const set = part => katex.renderToString(part, { displayMode, trust, strict, macros: { ...macros }, throwOnError: true })
    return (displayMode ? alone(tex) : [tex]).map(set).join('')
  } catch (error) {
    process.stderr.write(`${index}:${error.message}\n`)
    process.exit(1)
  }
}
process.stdout.write(JSON.stringify(formulas.map(typeset)))
