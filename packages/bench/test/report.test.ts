import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchFolder, type ScratchFolder } from '@holdfast/testkit'
import ts from 'typescript'
import type { Figure } from '../src/figure.js'
import { exampleFigures } from './example-figures.js'

const run = promisify(execFile)
const remake = join(__dirname, '../dist/report/remake.js')
const docs = join(__dirname, '../../../docs')

/** JSX elements follow the rules of XML: closed, nested, attributes in quotes. */
function complaintsAbout(svg: string): string[] {
  const { diagnostics = [] } = ts.transpileModule(svg, {
    fileName: 'plot.tsx',
    reportDiagnostics: true,
    compilerOptions: { jsx: ts.JsxEmit.Preserve },
  })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return new Map(names.map((name, n) => [name, texts[n] ?? '']))
}

let scratch: ScratchFolder
let folder: string

beforeEach(async () => {
  scratch = await scratchFolder()
  folder = scratch.path
})
afterEach(() => scratch.remove())

it('tables and plots are regenerated from saved figures, and are the same every time', async () => {
  await writeFile(join(folder, 'figures.json'), JSON.stringify({ facts: {}, figures: exampleFigures }))
  await run(process.execPath, [remake, folder])
  const files = await filesIn(folder)

  expect([...files.keys()].sort()).toEqual([
    'commands.svg',
    'figures.json',
    'processes.svg',
    'tables.md',
    'uncontended.svg',
    'waiters.svg',
    'watchdog.svg',
  ])
  const row = files
    .get('tables.md')
    ?.match(/^\| Holdfast .*$/m)?.[0]
    .split(/ *\| */)
  expect(row).toEqual(['', 'Holdfast', '113', '1.13', '2', ''])

  for (const [name, text] of files) {
    if (!name.endsWith('.svg')) continue
    expect({ name, complaints: complaintsAbout(text) }).toEqual({ name, complaints: [] })
    expect(text).toMatch(/^<svg [^]*<text [^]*<\/svg>\n$/)
    expect(text).toContain('Holdfast')
    expect(text).not.toMatch(/NaN|undefined|Infinity/)
  }

  await run(process.execPath, [remake, folder])
  expect(await filesIn(folder)).toEqual(files)
})

it('the documentation shows what its figures yield', async () => {
  const [document, plots] = [join(folder, 'performance.md'), join(folder, 'performance')]
  await cp(join(docs, 'performance.md'), document)
  await cp(join(docs, 'performance'), plots, { recursive: true })
  await run(process.execPath, [remake, plots, document])

  expect(await readFile(document, 'utf8')).toBe(await readFile(join(docs, 'performance.md'), 'utf8'))
  expect(await filesIn(plots)).toEqual(await filesIn(join(docs, 'performance')))
})

/** Updates the document from these figures, and returns it. */
async function updatedDocument(figures: readonly Figure[], text: string): Promise<string> {
  const document = join(folder, 'document.md')
  await writeFile(join(folder, 'figures.json'), JSON.stringify({ facts: {}, figures }))
  for (const separateRun of ['soak', 'instructions']) {
    await mkdir(join(folder, separateRun))
    await writeFile(join(folder, separateRun, 'figures.json'), JSON.stringify({ facts: {}, figures: [] }))
  }
  await writeFile(document, text)
  await run(process.execPath, [remake, folder, document])
  return readFile(document, 'utf8')
}

it('the targets table rates each target by its worst figure', async () => {
  const nested = { scenario: 'nested', of: 'Holdfast', at: {}, seen: { commandsMore: 3 } }
  const document = await updatedDocument(
    [...exampleFigures, nested],
    'Before\n\n<!-- figures: targets -->\n\nold\n\n<!-- end -->\n\nAfter\n',
  )

  expect(document).toMatch(/^Before\n\n<!-- figures: targets -->\n\n\|[^]*\|\n\n<!-- end -->\n\nAfter\n$/)
  const rows = document.split('\n').map((line) => line.split(/ *\| */).slice(1, 5))
  expect(rows).toContainEqual(['Commands that a nested call adds', '2.00', '3.00', '**missed**'])
  expect(rows).toContainEqual(['Undisturbed cycle, × SET and DEL', '≤ 1.15', '1.13', 'holds'])
  // With 10 waiters 70 µs to 60 µs; less in the other cases.
  expect(rows).toContainEqual(['Hand-off between processes, × hand-off by hand', '≤ 1.25', '1.17', 'holds'])
  // With 10 waiters 2 100 µs to 70 µs; more with 50, and for the slower libraries.
  expect(rows).toContainEqual([
    'Hand-off of every library that polls, × that of Holdfast',
    '≥ 10',
    '30.0',
    'holds',
  ])
})

it('a document with an unknown marker is refused', async () => {
  const document = '<!-- figures: nonsense -->\n\n<!-- end -->\n'
  await expect(updatedDocument(exampleFigures, document)).rejects.toThrow('unknown figures marker nonsense')
})

it('a file that is not a report is refused', async () => {
  await writeFile(join(folder, 'figures.json'), '[]')
  await expect(run(process.execPath, [remake, folder])).rejects.toThrow('was not written by')
})
