import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../..')
/** Paths in the pages are written from one of these. */
const bases = ['', 'packages/core/src', 'packages/core/src/redis']

const read = (page: string): string => readFileSync(join(root, page), 'utf8')

/** Text in backticks that names a file or folder of this project. */
const pathsIn = (page: string): string[] =>
  [...read(page).matchAll(/`([\w@.-]*(?:\/[\w.-]*)+|\.?[\w-]+\.(?:c?ts|cjs|lua|json))`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !path.startsWith('@'))

const found = (path: string): string | undefined =>
  bases.map((base) => join(root, base, path)).find((candidate) => existsSync(candidate))

/** Files that pages show in full, between `<!-- file: … -->` and `<!-- end of file -->`. */
const shownFiles = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => [
    ...read(`docs/${name}`).matchAll(/<!-- file: (\S+) -->\n\n```\w+\n(.*?)```\n\n<!-- end of file -->/gs),
  ])
  .map(([, file = '', shown = '']) => [file, shown] as const)

it('pages show files', () => {
  expect(shownFiles.length).toBeGreaterThanOrEqual(5)
})

it.each(shownFiles)('%s is shown as it is', (file, shown) => {
  expect(shown).toBe(read(file))
})

describe.each(['docs/architecture.md', 'docs/engines.md'])('%s', (page) => {
  it('names files and folders that exist', () => {
    const paths = pathsIn(page)
    expect(paths.length).toBeGreaterThan(5)
    expect(paths.filter((path) => found(path) === undefined)).toEqual([])
  })
})

it('the walks in docs/architecture.md name members that are in the files', () => {
  const rows = [...read('docs/architecture.md').matchAll(/^\| \d+\. .*\| `([^`]+)` +\| `([^`]+)` +\|$/gm)]
  expect(rows.length).toBeGreaterThan(20)
  const missing = rows.filter(([, path = '', member = '']) => {
    const file = found(path)
    return !file || !new RegExp(`(^|[^\\w])${member}\\b`).test(readFileSync(file, 'utf8'))
  })
  expect(missing.map(([row]) => row)).toEqual([])
})
