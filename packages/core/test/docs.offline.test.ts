import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import GithubSlugger from 'github-slugger'

const root = join(__dirname, '../../..')

const read = (page: string): string => readFileSync(join(root, page), 'utf8')

const docs = readdirSync(join(root, 'docs'), { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)

/** Files that pages show in full, between `<!-- file: … -->` and `<!-- end of file -->`. */
const shownFiles = docs
  .flatMap((page) => [
    ...read(page).matchAll(/<!-- file: (\S+) -->\n\n```\w+\n(.*?)```\n\n<!-- end of file -->/gs),
  ])
  .map(([, file = '', shown = '']) => [file, shown] as const)

it('pages show files', () => expect(shownFiles.length).toBeGreaterThanOrEqual(5))

it.each(shownFiles)('%s is shown as it is', (file, shown) => expect(shown).toBe(read(file)))

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
