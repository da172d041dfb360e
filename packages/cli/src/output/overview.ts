import type { ClientReport } from '@holdfast/core'
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
  { title: 'AS', cell: ({ kind }) => escapeText(kind) },
  { title: 'FOR', cell: ({ heldMs }) => formatDuration(heldMs), isRight: true },
  { title: 'LEFT', cell: ({ remainingMs }) => formatDuration(remainingMs), isRight: true },
  { title: 'WAITING', cell: ({ waiting }) => String(waiting), isRight: true },
  { title: 'BY', cell: where },
]
const waitColumns: Column<Waiting>[] = [
  { title: 'WAITED FOR', cell: name, isFlexible: true },
  { title: 'AS', cell: ({ kind }) => escapeText(kind) },
  { title: 'FOR', cell: ({ waitedMs }) => formatDuration(waitedMs), isRight: true },
  { title: 'BY', cell: where },
]
const lossColumns: Column<Lost>[] = [
  { title: 'LOST', cell: name, isFlexible: true },
  { title: 'BECAUSE', cell: ({ reason }) => escapeText(reason) },
  { title: 'AGO', cell: ({ agoMs }) => formatDuration(agoMs), isRight: true },
  { title: 'BY', cell: where },
]

const shownWaits = 10
const shownLosses = 5

/**
 * The overview as lines for people, safe to show.
 *
 * @param height - more holds than this are left out
 */
export function overviewLines(overview: Overview, width = Infinity, height = Infinity): string[] {
  const { clients, reported, holdCount, waiterCount, lost, holds, queue, losses } = overview
  const silent = clients > reported ? ` (${clients - reported} did not report)` : ''
  return [
    // The numbers are what other clients say.
    escapeText(`${clients} clients${silent}   ${holdCount} holds   ${waiterCount} waiting   ${lost} lost`),
    ...(losses.length > 0 ? ['', ...tableLines(lossColumns, losses.slice(0, shownLosses), width)] : []),
    ...(queue.length > 0 ? ['', ...tableLines(waitColumns, queue.slice(0, shownWaits), width)] : []),
    ...(holds.length > 0 ? ['', ...tableLines(holdColumns, holds.slice(0, height), width)] : []),
  ]
}
