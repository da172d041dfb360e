import { markdownTable } from 'markdown-table'
import type { About, Figure } from '../scenario.js'
import { formatNumber, toLabel } from './format.js'
import { ratioToFloor } from './ratio.js'

/** A scenario's figures as a Markdown table. The compared value comes first, with its ratio to the floor. */
export function tableOf(about: About, figures: readonly Figure[]): string {
  const { compares, floor } = about
  const conditions = namesIn(figures.map(({ at }) => at))
  const others = namesIn(figures.map(({ seen }) => seen)).filter((name) => name !== compares.what)
  const columns: string[][] = [
    ['', ...figures.map(({ of }) => of)],
    ...conditions.map((name) => [toLabel(name), ...figures.map(({ at }) => String(at[name] ?? ''))]),
    seenColumn(compares.what, figures),
  ]
  const ratios = figures.map((figure) => ratioToFloor(about, figure, figures))
  columns.push([`× ${floor}`, ...ratios.map((ratio) => (ratio === undefined ? '' : formatNumber(ratio)))])
  columns.push(...others.map((name) => seenColumn(name, figures)))
  const rows = Array.from({ length: figures.length + 1 }, (_, n) => columns.map((column) => column[n] ?? ''))
  return markdownTable(rows, { align: ['l', ...columns.slice(1).map(() => 'r')] })
}

/** The caption: the compared value, and which direction is better. */
export function captionOf({ compares, floor }: About): string {
  const better = `${toLabel(compares.what)}: ${compares.lessIsBetter ? 'less' : 'more'} is better.`
  return `${better} × ${floor}: the ratio to this.`
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
