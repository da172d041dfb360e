import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contenders } from '../src/adapters/contenders.js'
import { tableOf } from '../src/report/table.js'
import { targetsTable } from '../src/report/targets.js'
import type { About, Figure } from '../src/scenario.js'

const docs = join(__dirname, '../../docs')
const pages = readdirSync(docs, { encoding: 'utf8', recursive: true }).filter((name) => name.endsWith('.md'))
const read = (name: string) => readFileSync(join(docs, name), 'utf8')
const page = read('internals/performance.md')

const cellsIn = (table: string): string[][] =>
  table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

const handOff: About = {
  name: 'hand-off',
  title: '',
  compares: { what: 'usPerHandOff', lessIsBetter: true },
  floor: 'hand-off by hand',
}
const figure = (of: string, waiters: number, usPerHandOff: number, commandsPerCycle: number): Figure => ({
  of,
  at: { waiters, processes: 4 },
  seen: { usPerHandOff, commandsPerCycle },
})
const figures = [
  figure('hand-off by hand', 10, 60, 2),
  figure('Holdfast', 10, 70, 2),
  figure('hand-off by hand', 50, 62, 2),
  figure('Holdfast', 50, 70, 2.25),
  figure('redlock 5', 50, 2_100, 4),
  figure('redis-semaphore', 50, 1_400, 4),
]

it('a table shows the compared value first, and its ratio to the floor under the same conditions', () => {
  const [head, , ...rows] = cellsIn(tableOf(handOff, figures))
  expect(head).toEqual([
    '',
    'waiters',
    'processes',
    'µs per hand off',
    '× hand-off by hand',
    'commands per cycle',
  ])
  expect(rows[1]).toEqual(['Holdfast', '10', '4', '70', '1.17', '2.00'])
  expect(rows[3]).toEqual(['Holdfast', '50', '4', '70', '1.13', '2.25'])
})

it('a target is rated by its worst figure', () => {
  const rows = cellsIn(targetsTable(new Map([['hand-off', { about: handOff, figures }]])))
  expect(rows).toContainEqual(['Commands per contended cycle', '2.00', '2.25', '**missed**'])
  expect(rows).toContainEqual(['Hand-off between processes, × hand-off by hand', '≤ 1.25', '1.17', 'holds'])
  expect(rows).toContainEqual([
    'Hand-off of every library that polls, × that of Holdfast',
    '≥ 10',
    '20.0',
    'holds',
  ])
})

it('the page says of each target whether its figure meets it', () => {
  const [, table = ''] = /<!-- pnpm bench -->\n\n((?:\|.*\n)+)/.exec(read('trust/benchmarks.md')) ?? []
  const rows = cellsIn(table.trim()).slice(2)
  expect(rows.length).toBeGreaterThan(20)
  for (const [what, target = '', measured, verdict] of rows) {
    const [, bound, limit] = /^(≤|≥)? ?([\d.]+)$/.exec(target) ?? []
    const [seen, wanted] = [Number(measured), Number(limit)]
    const isMet = bound === '≥' ? seen >= wanted : bound === '≤' ? seen <= wanted : seen === wanted
    expect([what, verdict]).toEqual([what, isMet ? 'holds' : '**missed**'])
  }
})

it('the page shows the settings with which each contender runs', () => {
  const cells = new Set(cellsIn(page).flat())
  expect(contenders.filter(({ settings }) => !cells.has(settings))).toEqual([])
})

it('the pages name scenarios that exist, and each scenario is on a page', () => {
  const known = readFileSync(join(__dirname, '../src/scenarios/scenarios.ts'), 'utf8')
  const named = pages.flatMap((name) =>
    [...read(name).matchAll(/--scenario ([a-z,-]+)/g)].flatMap(([, names = '']) => names.split(',')),
  )
  const [, list = ''] = /scenarios: readonly Scenario\[\] = \[([^\]]+)\]/.exec(known) ?? []
  const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const all = [...list.matchAll(/\w+/g)].map(([name]) => kebab(name))
  expect(named.filter((name) => !all.includes(name))).toEqual([])
  const doItAgain = page.slice(page.indexOf('## Do it again'))
  expect(all.filter((name) => !doItAgain.includes(`\`${name}\``))).toEqual([])
})
