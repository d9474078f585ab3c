// Typesets formulas: reads a JSON list of TeX on standard input, writes the list of HTML. Called by maths.py.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { default: katex } = await import(pathToFileURL(process.argv[2]).href)
const formulas = JSON.parse(readFileSync(0, 'utf8'))
// Only colour classes of our own are trusted; an unknown command is an error, not red text.
const trust = context => context.command === '\\htmlClass' && /^c-[a-z-]+$/.test(context.class)
const strict = code => (code === 'htmlExtension' || code === 'unicodeTextInMathMode' ? 'ignore' : 'error')
process.stdout.write(JSON.stringify(formulas.map(tex => katex.renderToString(tex, { displayMode: true, trust, strict, throwOnError: true }))))
