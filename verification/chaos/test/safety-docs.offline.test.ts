import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultKind, faultKinds, faultNamesOf } from '../src/faults/fault-kinds.js'
import { topologyNames } from '../src/topologies.js'
import { familyVariants } from '../src/variants/family-variants.js'
import { postgresVariants } from '../src/variants/postgres-variants.js'
import { sharedVariants } from '../src/variants/shared-variants.js'
import { variants } from '../src/variants/variants.js'
import { titlesIn } from './support/titles.js'

const root = join(__dirname, '../../..')
const read = (page: string): string => readFileSync(join(root, page), 'utf8')

const safety = `${read('docs/trust/guarantees.md')}\n${read('docs/internals/verification.md')}`

/** The test names that the document cites, by file: list items such as `- [a.test](../a.test.ts): "one"; "two › three"`, and cells of tables. */
function namesByFile(): Map<string, string[]> {
  const names = new Map<string, string[]>()
  const items = safety.matchAll(
    /^- \[[^\]]+\]\(\.\.\/\.\.\/(\S+(?:\.test|\.spec|\/scenarios\/\S+)\.ts)\):((?:.|\n(?! *- |\n))*)/gm,
  )
  for (const [, file = '', text = ''] of items) {
    const quoted = [...text.replaceAll(/\s+/g, ' ').matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
    names.set(file, [...(names.get(file) ?? []), ...quoted])
  }
  const cells = `${safety}\n${read('docs/stores/memcached.md')}`.matchAll(
    /\| \[[^\]]+\]\(\.\.\/\.\.\/(\S+\.test\.ts)\): "([^"|]+)"/g,
  )
  for (const [, file = '', name = ''] of cells) names.set(file, [...(names.get(file) ?? []), name])
  return names
}

/** The cells of the rows of the table under a heading. */
function tableUnder(heading: string): string[][] {
  const [, below = ''] = safety.split(`\n${heading}\n`)
  const [section = ''] = below.split(/^#/m)
  const rows = [...section.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim().replaceAll('`', '')),
  )
  return rows.slice(2)
}

describe('docs/trust/guarantees.md and docs/internals/verification.md', () => {
  it('cites a test for every promise', () => {
    const [, promises = ''] = safety.split('\n## Promises\n')
    const [section = ''] = promises.split(/^## /m)
    const each = section.split(/^### /m).slice(1)
    expect(each.length).toBeGreaterThanOrEqual(8)
    for (const promise of each) {
      expect(promise).toMatch(/^\*\*Needs\*\*/m)
      expect(promise).toMatch(/^- \[.*\): "/m)
    }
  })

  it.each([...namesByFile()])('cites only tests that exist in %s', (file, names) => {
    const titles = titlesIn(read(file))
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !titles.has(name))).toEqual([])
  })

  it('lists every kind of fault, with where it happens and what it excuses', () => {
    const rows = tableUnder('## Every fault tried')
    const documented = rows.map(([name, , where, excused]) => ({ name, where, excused }))
    const kinds = topologyNames.flatMap((topology) => Object.values(faultNamesOf(topology)).flat())
    expect(new Set(kinds)).toEqual(new Set(Object.keys(faultKinds)))
    expect(new Set(documented)).toEqual(
      new Set(
        [...new Set(kinds)].map((name) => {
          const { on, store = 'all', excuses = [] } = faultKind(name)
          return { name, where: on?.join(', ') ?? store, excused: excuses.join(', ') || 'no' }
        }),
      ),
    )
  })

  it('lists every broken variant, with what it breaks', () => {
    const documented = tableUnder('## Broken variants').map(([name, breaks]) => ({ name, breaks }))
    expect(documented).toEqual(variants.map(({ name, breaks }) => ({ name, breaks: breaks.join(', ') })))
  })

  it.each([
    ['shared objects', sharedVariants],
    ['the family', familyVariants],
    ['the engine for PostgreSQL', postgresVariants],
  ] as const)('lists every broken variant of %s, with what it breaks', (objects, broken) => {
    const heading = `## Broken variants of ${objects}`
    const documented = tableUnder(heading).map(([name, breaks]) => ({ name, breaks }))
    expect(documented).toEqual(broken.map(({ name, breaks }) => ({ name, breaks: breaks.join(', ') })))
  })
})
