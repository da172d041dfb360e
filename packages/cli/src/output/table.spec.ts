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

it('a name keeps some letters on the narrowest terminal', () => {
  expect(tableLines(columns, [{ name: 'x'.repeat(80), ms: '9.5 s' }], 5)[1]).toBe(`${'x'.repeat(11)}…  9.5 s`)
})

it('a wide character is not cut in half', () => {
  expect(cut('注文番号', 6)).toBe('注文…')
})

it('a table may have very many rows', () => {
  const rows = Array.from({ length: 200_000 }, () => ({ name: 'x', ms: '1 s' }))
  expect(tableLines(columns, rows)).toHaveLength(rows.length + 1)
})
