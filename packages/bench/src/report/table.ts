import { markdownTable } from 'markdown-table'
import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import { ratioToFloor } from './ratio.js'
import { inDigits, inWords } from './words.js'

/** A scenario's figures as a table in Markdown. What is compared comes first, with its ratio to the floor. */
export function tableOf(scenario: Scenario, figures: readonly Figure[]): string {
  const { compares, floor } = scenario
  const conditions = namesIn(figures.map(({ at }) => at))
  const others = namesIn(figures.map(({ seen }) => seen)).filter((name) => name !== compares.what)
  const columns: string[][] = [
    ['', ...figures.map(({ of }) => of)],
    ...conditions.map((name) => [inWords(name), ...figures.map(({ at }) => String(at[name] ?? ''))]),
    seenColumn(compares.what, figures),
  ]
  if (floor !== undefined) {
    const ratios = figures.map((figure) => ratioToFloor(scenario, figure, figures))
    columns.push([`× ${floor}`, ...ratios.map((ratio) => (ratio === undefined ? '' : inDigits(ratio)))])
  }
  columns.push(...others.map((name) => seenColumn(name, figures)))
  const rows = Array.from({ length: figures.length + 1 }, (_, n) => columns.map((column) => column[n] ?? ''))
  return markdownTable(rows, { align: ['l', ...columns.slice(1).map(() => 'r')] })
}

/** What to look for in the table. */
export function captionOf({ compares, floor }: Scenario): string {
  const better = `${inWords(compares.what)}: ${compares.lessIsBetter ? 'less' : 'more'} is better.`
  return floor === undefined ? better : `${better} × ${floor}: the ratio to this floor.`
}

function namesIn(records: readonly Readonly<Record<string, unknown>>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))]
}

/** Counts stay whole where all of them are. */
function seenColumn(name: string, figures: readonly Figure[]): string[] {
  const values = figures.map(({ seen }) => seen[name])
  const isCount = values.every((value) => value === undefined || Number.isInteger(value))
  const show = isCount ? String : inDigits
  return [inWords(name), ...values.map((value) => (value === undefined ? '' : show(value)))]
}
