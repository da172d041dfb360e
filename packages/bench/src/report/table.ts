import { markdownTable } from 'markdown-table'
import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import { ratioToFloor } from './ratio.js'
import { formatNumber, toLabel } from './format.js'

/**
 * Some of a scenario's figures as a Markdown table. The compared value comes first, with its ratio to the floor, which is
 * looked up among `all`.
 */
export function tableOf(scenario: Scenario, figures: readonly Figure[], all = figures): string {
  const { compares, floor } = scenario
  const conditions = namesIn(figures.map(({ at }) => at))
  const others = namesIn(figures.map(({ seen }) => seen)).filter((name) => name !== compares.what)
  const columns: string[][] = [
    ['', ...figures.map(({ of }) => of)],
    ...conditions.map((name) => [toLabel(name), ...figures.map(({ at }) => String(at[name] ?? ''))]),
    seenColumn(compares.what, figures),
  ]
  if (floor !== undefined) {
    const ratios = figures.map((figure) => ratioToFloor(scenario, figure, all))
    columns.push([`× ${floor}`, ...ratios.map((ratio) => (ratio === undefined ? '' : formatNumber(ratio)))])
  }
  columns.push(...others.map((name) => seenColumn(name, figures)))
  const rows = Array.from({ length: figures.length + 1 }, (_, n) => columns.map((column) => column[n] ?? ''))
  return markdownTable(rows, { align: ['l', ...columns.slice(1).map(() => 'r')] })
}

/** The compared value only, with a column for each value of one condition, and the ratios to the floor in brackets. */
export function tableAcross(scenario: Scenario, figures: readonly Figure[], condition: string): string {
  const values = [...new Set(figures.map(({ at }) => at[condition] ?? ''))]
  const cellOf = (figure: Figure | undefined): string => {
    const value = figure?.seen[scenario.compares.what]
    if (!figure || value === undefined) return ''
    const ratio = ratioToFloor(scenario, figure, figures)
    return ratio === undefined ? formatNumber(value) : `${formatNumber(value)} (${formatNumber(ratio)})`
  }
  const rows = [...new Set(figures.map(({ of }) => of))].map((name) => [
    name,
    ...values.map((value) => cellOf(figures.find(({ of, at }) => of === name && at[condition] === value))),
  ])
  const head = ['', ...values.map((value) => `${toLabel(condition)}: ${value}`)]
  return markdownTable([head, ...rows], { align: ['l', ...values.map(() => 'r')] })
}

/** The caption: the compared value, and which direction is better. */
export function captionOf({ compares, floor }: Scenario): string {
  const better = `${toLabel(compares.what)}: ${compares.lessIsBetter ? 'less' : 'more'} is better.`
  return floor === undefined ? better : `${better} × ${floor}: the ratio to this floor.`
}

function namesIn(records: readonly Readonly<Record<string, unknown>>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))]
}

/** A column of integers shows no decimals. */
function seenColumn(name: string, figures: readonly Figure[]): string[] {
  const values = figures.map(({ seen }) => seen[name])
  const isCount = values.every((value) => value === undefined || Number.isInteger(value))
  const show = isCount ? String : formatNumber
  return [toLabel(name), ...values.map((value) => (value === undefined ? '' : show(value)))]
}
