import { markdownTable } from 'markdown-table'
import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import { ratioToFloor } from './ratio.js'
import { inDigits, inWords } from './words.js'

/**
 * Some of a scenario's figures as a table in Markdown. What is compared comes first, with its ratio to the floor, which is
 * looked for among all of them.
 */
export function tableOf(scenario: Scenario, figures: readonly Figure[], all = figures): string {
  const { compares, floor } = scenario
  const conditions = namesIn(figures.map(({ at }) => at))
  const others = namesIn(figures.map(({ seen }) => seen)).filter((name) => name !== compares.what)
  const columns: string[][] = [
    ['', ...figures.map(({ of }) => of)],
    ...conditions.map((name) => [inWords(name), ...figures.map(({ at }) => String(at[name] ?? ''))]),
    seenColumn(compares.what, figures),
  ]
  if (floor !== undefined) {
    const ratios = figures.map((figure) => ratioToFloor(scenario, figure, all))
    columns.push([`× ${floor}`, ...ratios.map((ratio) => (ratio === undefined ? '' : inDigits(ratio)))])
  }
  columns.push(...others.map((name) => seenColumn(name, figures)))
  const rows = Array.from({ length: figures.length + 1 }, (_, n) => columns.map((column) => column[n] ?? ''))
  return markdownTable(rows, { align: ['l', ...columns.slice(1).map(() => 'r')] })
}

/** What is compared only, with a column for each value of one condition, and the ratios to the floor in brackets. */
export function tableAcross(scenario: Scenario, figures: readonly Figure[], condition: string): string {
  const values = [...new Set(figures.map(({ at }) => at[condition] ?? ''))]
  const cellOf = (figure: Figure | undefined): string => {
    const value = figure?.seen[scenario.compares.what]
    if (!figure || value === undefined) return ''
    const ratio = ratioToFloor(scenario, figure, figures)
    return ratio === undefined ? inDigits(value) : `${inDigits(value)} (${inDigits(ratio)})`
  }
  const rows = [...new Set(figures.map(({ of }) => of))].map((name) => [
    name,
    ...values.map((value) => cellOf(figures.find(({ of, at }) => of === name && at[condition] === value))),
  ])
  const head = ['', ...values.map((value) => `${inWords(condition)}: ${value}`)]
  return markdownTable([head, ...rows], { align: ['l', ...values.map(() => 'r')] })
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
