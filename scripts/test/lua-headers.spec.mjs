import { readdirSync, readFileSync } from 'node:fs'
import { scriptFiles, statements } from '../lib/lua-folder.mjs'
import { root } from '../lib/workspace.mjs'
import { makeFolder, removeFolders } from './support/folders.mjs'
import {
  documentedIndices,
  documentedNames,
  timesNamed,
  usedIndices,
  usedNames,
} from './support/lua-headers.mjs'

const folder = `${root}lua`
const used = usedNames(folder)
const sorted = ({ reads, sets }) => ({ reads: reads.toSorted(), sets: sets.toSorted() })

it('each include is named more than once: a part that is used in one place stands there', () => {
  const includes = readdirSync(folder, { recursive: true }).filter((file) => /includes\/.*\.lua$/.test(file))
  const times = timesNamed(folder)
  expect(includes.filter((include) => (times.get(include) ?? 0) < 2)).toEqual([])
})

it("what only Redisson's scripts include is in their folder", () => {
  const outside = scriptFiles(folder).filter((file) => !file.startsWith('redisson/'))
  const shared = new Set()
  for (const file of outside) statements(folder, [file], (include) => shared.add(include))
  expect(
    [...used.keys()].filter((include) => !include.startsWith('redisson/') && !shared.has(include)),
  ).toEqual([])
  expect([...shared].filter((include) => include.startsWith('redisson/'))).toEqual([])
})

it.each([...used.keys()])('%s documents the names that it reads and sets', (include) => {
  const documented = documentedNames(folder, include)
  expect(documented && sorted(documented)).toEqual(sorted(used.get(include)))
})

describe.each(scriptFiles(folder))('%s', (file) => {
  const header = /^--\[\[\n(.*?)\]\]\n/s.exec(readFileSync(`${folder}/${file}`, 'utf8'))[1]
  const code = statements(folder, [file]).join('\n')

  it('uses each argument that it documents, and no other', () =>
    expect(usedIndices(code, 'ARGV').toSorted()).toEqual(documentedIndices(header, 'ARGV').toSorted()))

  it('uses each key that it documents, and no other', () => {
    const routing = / {2}KEYS\[1\] {2}any key; only its slot matters\n/.test(header) ? ['1'] : []
    expect([...usedIndices(code, 'KEYS'), ...routing].toSorted()).toEqual(
      documentedIndices(header, 'KEYS').toSorted(),
    )
  })
})

describe('the check of an include', () => {
  afterEach(removeFolders)

  it('counts what the includes of an include read and set', () => {
    const files = {
      's.lua': '--@include includes/outer',
      'includes/inner.lua': 'local one = here + there\nchanged = one',
      'includes/outer.lua':
        'local here = given\n--@include ./inner\nif one then local hidden = redis.call(other) end',
    }
    expect(sorted(usedNames(makeFolder(files)).get('includes/outer.lua'))).toEqual({
      reads: ['given', 'other', 'there'],
      sets: ['changed', 'here', 'one'],
    })
  })

  it.each([
    ['-- Why.\n--\n-- Reads: a b\n-- Sets:  c\nf()', { reads: ['a', 'b'], sets: ['c'] }],
    ['-- Reads: nothing\n-- Sets:  nothing\n--@include b', { reads: [], sets: [] }],
    ['-- Sets:  c\n-- Reads: a\nf()', undefined],
    ['-- Reads: a\n-- Sets: c\nf()', undefined],
    ['-- Reads: a\n-- Sets:  c\n-- More.\nf()', undefined],
    ['f()\n-- Reads: a\n-- Sets:  c\n', undefined],
  ])('reads one form of a header only: %j', (text, names) =>
    expect(documentedNames(makeFolder({ 'a.lua': text }), 'a.lua')).toEqual(names),
  )
})
