// Makes a search index: reads a JSON list of sections on standard input, writes the index. Called by search.py.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { default: MiniSearch } = await import(pathToFileURL(process.argv[2]).href)
const { options } = await import(pathToFileURL(process.argv[3]).href)
const index = new MiniSearch(options)
index.addAll(JSON.parse(readFileSync(0, 'utf8')))
process.stdout.write(JSON.stringify(index))
