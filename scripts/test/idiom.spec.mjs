import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { root } from '../lib/workspace.mjs'
import { habitsOfPage, habitsOfSource } from './support/idiom.mjs'

const filesIn = (folder, pattern) =>
  readdirSync(root + folder, { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((file) => pattern.test(file))
const foldersIn = (parent) => readdirSync(root + parent).map((name) => `${parent}/${name}`)

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/README.md',
  'verification/README.md',
  ...filesIn('docs', /\.md$/),
  ...['packages', 'verification'].flatMap(foldersIn).map((folder) => `${folder}/README.md`),
].filter((page) => existsSync(root + page))

/** Read by a person, and right as they are: by file, what was found there. */
const reviewed = {
  'docs/internals/protocol.md': ['of its own'], // one of its own owners
  'docs/production/cli.md': ['gets in'], // the name that the process gets in `LockLostError.by`
  'docs/production/troubleshooting.md': ['REFUSED'], // the code of an error
  'docs/internals/verification.md': ['refused'], // the name of a fault, as of a connection
  'docs/stores/postgres.md': ['refused'], // a connection
  'docs/trust/why.md': ['of its own'], // the entry ahead of its own
}

const shown = (file, hits) =>
  hits
    .filter(({ found }) => !reviewed[file]?.includes(found))
    .map(({ line, found, instead }) => `${file}:${line} ${found}: ${instead}`)

it('finds a habit in prose, and none in code, links and quoted titles', () => {
  const page = 'Nobody polls. `nobody` [a](nobody.md), "nobody waits"\n\n```ts\nnobody()\n```\n'
  expect(habitsOfPage(page).map(({ line, found }) => [line, found])).toEqual([[1, 'Nobody']])
  expect(habitsOfSource('a.ts', "const a = 'it was refused' // refused")).toHaveLength(1)
})

it.each(pages)('%s has none of the habits that stop a reader', (file) =>
  expect(shown(file, habitsOfPage(readFileSync(root + file, 'utf8')))).toEqual([]),
)

it('errors, warnings and output have none either', () => {
  // SQL has strings and comments of another reader.
  const files = foldersIn('packages')
    .flatMap((folder) => filesIn(`${folder}/src`, /\.ts$/))
    .filter((file) => !/generated|\.spec\.|\/sql\//.test(file))
  expect(
    files.flatMap((file) => shown(file, habitsOfSource(file, readFileSync(root + file, 'utf8')))),
  ).toEqual([])
})

it('headings are words that one can search for, not questions', () => {
  const questions = pages.flatMap((page) =>
    [...readFileSync(root + page, 'utf8').matchAll(/^#+ .*\?$/gm)].map(([heading]) => `${page}: ${heading}`),
  )
  expect(questions).toEqual([])
})
