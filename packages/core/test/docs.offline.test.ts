import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import GithubSlugger from 'github-slugger'

const root = join(__dirname, '../../..')
/** Paths in the pages are written from one of these. */
const bases = ['', 'packages/core/src', 'packages/core/src/redis']

const read = (page: string): string => readFileSync(join(root, page), 'utf8')

const docs = readdirSync(join(root, 'docs'), { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)

/** Text in backticks that names a file or folder of this project. */
const pathsIn = (page: string): string[] =>
  [...read(page).matchAll(/`([\w@.-]*(?:\/[\w.-]*)+|\.?[\w-]+\.(?:c?ts|cjs|lua|json))`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !path.startsWith('@'))

const found = (path: string): string | undefined =>
  bases.map((base) => join(root, base, path)).find((candidate) => existsSync(candidate))

/** Files that pages show in full, between `<!-- file: … -->` and `<!-- end of file -->`. */
const shownFiles = docs
  .flatMap((page) => [
    ...read(page).matchAll(/<!-- file: (\S+) -->\n\n```\w+\n(.*?)```\n\n<!-- end of file -->/gs),
  ])
  .map(([, file = '', shown = '']) => [file, shown] as const)

it('pages show files', () => expect(shownFiles.length).toBeGreaterThanOrEqual(5))

it.each(shownFiles)('%s is shown as it is', (file, shown) => expect(shown).toBe(read(file)))

describe.each(['docs/internals/architecture.md', 'docs/internals/engines.md'])('%s', (page) => {
  it('names files and folders that exist', () => {
    const paths = pathsIn(page)
    expect(paths.length).toBeGreaterThan(5)
    expect(paths.filter((path) => found(path) === undefined)).toEqual([])
  })
})

it('the walks in docs/internals/architecture.md name members that are in the files', () => {
  const rows = [
    ...read('docs/internals/architecture.md').matchAll(/^\| \d+\. .*\| `([^`]+)` +\| `([^`]+)` +\|$/gm),
  ]
  expect(rows.length).toBeGreaterThan(20)
  const missing = rows.filter(([, path = '', member = '']) => {
    const file = found(path)
    return !file || !new RegExp(`(^|[^\\w])${member}\\b`).test(readFileSync(file, 'utf8'))
  })
  expect(missing.map(([row]) => row)).toEqual([])
})

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'examples/README.md',
  'verification/README.md',
  ...docs,
  ...['packages', 'verification']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}/README.md`))
    .filter((page) => existsSync(join(root, page))),
]

const withoutCode = (page: string): string => read(page).replace(/^```.*?^```$/gms, '')

function anchorsOf(page: string): Set<string> {
  const slugger = new GithubSlugger()
  const headings = withoutCode(page).matchAll(/^#+ (.+)$/gm)
  return new Set([...headings].map(([, heading = '']) => slugger.slug(heading.replace(/[`*]/g, ''))))
}

/** Links within the project that lead nowhere: no such file or, on a page, no such heading. */
function brokenLinks(page: string): string[] {
  const links = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, target))) return true
    if (anchor === undefined || statSync(join(root, target)).isDirectory()) return false
    return target.endsWith('.md') && !anchorsOf(target).has(anchor)
  })
}

it.each(pages)('the links of %s lead to files and headings that exist', (page) =>
  expect(brokenLinks(page)).toEqual([]),
)
