import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { titlesIn } from './support/titles.js'

const folder = join(__dirname, '../..')
const [, record = ''] = readFileSync(join(folder, 'README.md'), 'utf8').split('\n## Track record\n')

/** The rows of the table, each with the tests that it names as "title" ([name](file)). */
const rows = [...record.matchAll(/^\|(.*)\|$/gm)]
  .slice(2)
  .map(([, row = '']) => [...row.matchAll(/"([^"]+)" \(\[[^\]]+\]\(([^)]+)\)\)/g)])

it('each bug in the track record names the test that keeps it away', () => {
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter((tests) => tests.length === 0)).toEqual([])
})

it.each(rows.flat().map(([, title = '', file = '']) => [title, file]))(
  'the track record names a test that exists: %s',
  (title, file) => expect(titlesIn(readFileSync(join(folder, file), 'utf8'))).toContain(title),
)
