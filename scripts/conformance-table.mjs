// Prints the conformance table as Markdown. Arguments: files that `jest --json --outputFile=…` wrote.
import { readFile } from 'node:fs/promises'
import { conformanceTable } from './lib/conformance-table.mjs'

const files = process.argv.slice(2)
if (files.length === 0) throw new Error('usage: conformance-table.mjs <files written by jest --json>')
const results = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8'))))
process.stdout.write(conformanceTable(results))
