import { tableLines, type Column } from './table.js'
import { cut, widthOf } from './width.js'

interface Row {
  readonly name: string
  readonly ms: string
}

const columns: Column<Row>[] = [
  { title: 'NAME', cell: ({ name }) => name, isFlexible: true },
  { title: 'LEFT', cell: ({ ms }) => ms, isRight: true },
]

it('columns line up, also behind wide characters', () => {
  const rows = [
    { name: 'order:42', ms: '9.5 s' },
    { name: '注文', ms: '120 ms' },
    { name: 'e\u0301', ms: '1 s' },
  ]
  expect(tableLines(columns, rows)).toEqual([
    'NAME        LEFT',
    'order:42   9.5 s',
    '注文      120 ms',
    'e\u0301            1 s',
  ])
})

it('a table fits its terminal by cutting off names', () => {
  const lines = tableLines(columns, [{ name: 'x'.repeat(80), ms: '9.5 s' }], 30)
  expect(lines[1]).toBe(`${'x'.repeat(22)}…  9.5 s`)
  expect(lines.map(widthOf)).toEqual([30, 30])
})

it('a name keeps some letters on the narrowest terminal', () =>
  expect(tableLines(columns, [{ name: 'x'.repeat(80), ms: '9.5 s' }], 5)[1]).toBe(
    `${'x'.repeat(11)}…  9.5 s`,
  ))

it('a narrow terminal costs the last flexible column first, then those that can be left out, then the first', () => {
  const owned: Column<Row>[] = [
    ...columns.slice(0, 1),
    { title: 'AS', cell: () => 'lock', isOptional: true },
    { title: 'BY', cell: () => 'w3, pid 812, billing', isFlexible: true },
  ]
  const rows = [{ name: 'nightly-export:eu', ms: '' }]
  const at = (width: number): string | undefined => tableLines(owned, rows, width)[1]
  expect(at(45)).toBe('nightly-export:eu  lock  w3, pid 812, billing')
  expect(at(38)).toBe('nightly-export:eu  lock  w3, pid 812,…')
  expect(at(36)).toBe('nightly-export:eu  w3, pid 812, bil…')
  expect(at(26)).toBe('nightly-exp…  w3, pid 812…')
})

it('a wide character is not cut in half', () => expect(cut('注文番号', 6)).toBe('注文…'))

it('a table may have very many rows', () => {
  const rows = Array.from({ length: 200_000 }, () => ({ name: 'x', ms: '1 s' }))
  expect(tableLines(columns, rows)).toHaveLength(rows.length + 1)
})
