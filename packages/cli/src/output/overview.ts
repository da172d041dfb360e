import type { ClientReport } from '@holdfast/core'
import { countOf } from './count.js'
import { formatDuration } from './duration.js'
import { escapeText } from './escape.js'
import { describeClient } from './owner.js'
import { tableLines, type Column } from './table.js'

type Held = ClientReport['holds'][number] & {
  readonly client: ClientReport['client']
  readonly waiting: number
}
type Waiting = ClientReport['queue'][number] & { readonly client: ClientReport['client'] }
type Lost = ClientReport['losses'][number] & { readonly client: ClientReport['client'] }

/** What connected clients reported, most contended first. */
export interface Overview {
  readonly clients: number
  /** Of them, those that reported: a frozen one does not. */
  readonly reported: number
  readonly holdCount: number
  readonly waiterCount: number
  readonly lost: number
  readonly holds: readonly Held[]
  readonly queue: readonly Waiting[]
  /** The latest first. */
  readonly losses: readonly Lost[]
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

export function overviewOf(connected: number, reports: readonly ClientReport[]): Overview {
  const queue = reports.flatMap(({ client, queue: waits }) => waits.map((wait) => ({ ...wait, client })))
  const waitingFor = new Map<string, number>()
  for (const { name: wanted } of queue) waitingFor.set(wanted, (waitingFor.get(wanted) ?? 0) + 1)
  const holds = reports.flatMap(({ client, holds: held }) =>
    held.map((hold) => ({ ...hold, client, waiting: waitingFor.get(hold.name) ?? 0 })),
  )
  const losses = reports.flatMap(({ client, losses: lost }) => lost.map((loss) => ({ ...loss, client })))
  return {
    clients: connected,
    reported: reports.length,
    holdCount: sum(reports.map(({ holdCount }) => holdCount)),
    waiterCount: sum(reports.map(({ waiterCount }) => waiterCount)),
    lost: sum(reports.map(({ counts }) => counts.lost)),
    holds: holds.sort((a, b) => b.waiting - a.waiting || b.heldMs - a.heldMs),
    queue: queue.sort((a, b) => b.waitedMs - a.waitedMs),
    losses: losses.sort((a, b) => a.agoMs - b.agoMs),
  }
}

const name = (row: { readonly name: string }): string => escapeText(row.name)
const where = ({ client }: { readonly client: ClientReport['client'] }): string => describeClient(client)

const holdColumns: Column<Held>[] = [
  { title: 'HELD', cell: name, isFlexible: true },
  { title: 'AS', cell: ({ kind }) => escapeText(kind), isOptional: true },
  { title: 'FOR', cell: ({ heldMs }) => formatDuration(heldMs), isRight: true },
  {
    title: 'LEFT',
    cell: ({ remainingMs }) => formatDuration(remainingMs),
    isRight: true,
    isOptional: true,
  },
  { title: 'WAITING', cell: ({ waiting }) => String(waiting), isRight: true },
  { title: 'BY', cell: where, isFlexible: true },
]
const waitColumns: Column<Waiting>[] = [
  { title: 'WAITED FOR', cell: name, isFlexible: true },
  { title: 'AS', cell: ({ kind }) => escapeText(kind), isOptional: true },
  { title: 'FOR', cell: ({ waitedMs }) => formatDuration(waitedMs), isRight: true },
  { title: 'BY', cell: where, isFlexible: true },
]
const lossColumns: Column<Lost>[] = [
  { title: 'LOST', cell: name, isFlexible: true },
  { title: 'BECAUSE', cell: ({ reason }) => escapeText(reason) },
  { title: 'AGO', cell: ({ agoMs }) => formatDuration(agoMs), isRight: true },
  { title: 'BY', cell: where, isFlexible: true },
]

/** Of waits and losses that are shown above the holds. */
const mostWaits = 10
const mostLosses = 5
/** Of one table: nobody scrolls further, and laying out very many takes longer than the time between two drawings. */
const mostRows = 1_000
/** With fewer rows there are no blank lines between tables. */
const lowHeight = 20

/**
 * The overview as lines for people, safe to show. Losses and waits come first, but leave half of the height to holds, which all
 * follow; then come the other waits.
 *
 * @param height - of what is seen at once
 */
export function overviewLines(overview: Overview, width = Infinity, height = Infinity): string[] {
  const { clients, reported, holdCount, waiterCount, lost, holds, queue, losses } = overview
  const silent = clients > reported ? ` (${clients - reported} did not report)` : ''
  const isLow = height < lowHeight
  const section = <T>(columns: readonly Column<T>[], rows: readonly T[]): string[] =>
    rows.length > 0 ? [...(isLow ? [] : ['']), ...tableLines(columns, rows, width)] : []
  // Besides rows there are the numbers, three titles, what scrolls, and a row that stays empty.
  const share = holds.length > 0 ? Math.floor((height - (isLow ? 6 : 9)) / 4) : Infinity
  const lossCount = Math.min(mostLosses, Math.max(1, share))
  const waitCount = Math.min(mostWaits, Math.max(1, share))
  return [
    // The numbers are what other clients say.
    escapeText(
      `${countOf(clients, 'client')}${silent}   ${countOf(holdCount, 'hold')}   ${waiterCount} waiting   ${lost} lost`,
    ),
    ...section(lossColumns, losses.slice(0, lossCount)),
    ...section(waitColumns, queue.slice(0, waitCount)),
    ...section(holdColumns, holds.slice(0, mostRows)),
    ...moreOf(holds, mostRows),
    ...section(waitColumns, queue.slice(waitCount, mostRows)),
    ...moreOf(queue, mostRows),
  ]
}

const moreOf = (rows: readonly unknown[], shown: number): string[] =>
  rows.length > shown ? [`… and ${rows.length - shown} more`] : []
