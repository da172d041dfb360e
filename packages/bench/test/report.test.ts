import { execFile } from 'node:child_process'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchFolder, type ScratchFolder } from '@holdfast/testkit'
import ts from 'typescript'
import { exampleFigures } from './example-figures.js'

const run = promisify(execFile)
const remake = join(__dirname, '../dist/report/remake.js')

/** Elements of JSX follow the rules of XML: closed, nested, attributes in quotes. */
function complaintsAbout(svg: string): string[] {
  const { diagnostics = [] } = ts.transpileModule(svg, {
    fileName: 'plot.tsx',
    reportDiagnostics: true,
    compilerOptions: { jsx: ts.JsxEmit.Preserve },
  })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

async function filesIn(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder)
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

it('tables and plots come from saved figures, and the same ones every time', async () => {
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

it('a file that is no report is refused', async () => {
  await writeFile(join(folder, 'figures.json'), '[]')
  await expect(run(process.execPath, [remake, folder])).rejects.toThrow('was not written by')
})
