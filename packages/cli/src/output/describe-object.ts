import type { Found } from '../commands/find-objects.js'
import { formatDuration } from './duration.js'
import { escapeText } from './escape.js'
import { describeClient, describeOwner } from './owner.js'
import { tableLines, type Column } from './table.js'

interface Row {
  readonly who: string
  readonly what: string
  readonly sinceMs: number | null
  readonly leftMs: number
}

const titles: Readonly<Record<Found['object'], string>> = {
  lock: 'lock',
  'read-write-lock': 'read/write lock',
  semaphore: 'semaphore',
  latch: 'latch',
}

/** The state of one object as lines for people, safe to show. */
export function describeObject(found: Found, width = Infinity): string[] {
  const title = `${titles[found.object]} ${escapeText(found.info.name)}`
  if (found.object === 'latch') return describeLatch(title, found)
  const { holders, holderCount, waiters, waiterCount } = found.info
  const holderRows = holders.map((holder) => {
    return {
      who: describeOwner(holder),
      what: whatOf(holder),
      sinceMs: holder.heldMs,
      leftMs: holder.remainingMs,
    }
  })
  const waiterRows = waiters.map((waiter) => {
    return {
      who: describeOwner(waiter),
      what: whatOf(waiter),
      sinceMs: waiter.waitedMs,
      leftMs: waiter.aliveMs,
    }
  })
  const token =
    'fencingToken' in found.info && found.info.fencingToken > 0
      ? `, last fencing token ${found.info.fencingToken}`
      : ''
  return [
    `${title}: ${holderCount === 0 ? 'free' : 'held'}${token}`,
    ...section('HELD BY', 'FOR', 'LEASE LEFT', holderRows, holderCount, width),
    ...section('WAITING', 'FOR', 'ENTRY LEFT', waiterRows, waiterCount, width),
  ]
}

interface Party {
  readonly kind?: string
  readonly holdCount?: number
  readonly permits?: number
}

function whatOf({ kind, holdCount = 1, permits }: Party): string {
  if (permits !== undefined) return permits === 1 ? '1 permit' : `${permits} permits`
  const side = kind === 'read-lock' ? 'read' : kind === 'write-lock' ? 'write' : ''
  const count = holdCount > 1 ? `entered ${holdCount} times` : ''
  return [side, count].filter((part) => part !== '').join(', ')
}

function section(
  title: string,
  since: string,
  left: string,
  rows: readonly Row[],
  count: number,
  width: number,
): string[] {
  if (count === 0) return []
  const columns: Column<Row>[] = [
    { title, cell: ({ who }) => who, isFlexible: true },
    {
      title: since,
      cell: ({ sinceMs }) => (sinceMs === null ? '?' : formatDuration(sinceMs)),
      isRight: true,
    },
    { title: left, cell: ({ leftMs }) => formatDuration(leftMs), isRight: true },
    ...(rows.some(({ what }) => what !== '') ? [{ title: 'AS', cell: ({ what }: Row) => what }] : []),
  ]
  const more = count > rows.length ? [`… and ${count - rows.length} more`] : []
  return ['', ...tableLines(columns, rows, width), ...more]
}

function describeLatch(title: string, { info }: Extract<Found, { object: 'latch' }>): string[] {
  const { isSet, isOpen, left, count, remainingMs, parties, waiters, waiterCount } = info
  const state = !isSet ? 'not set' : isOpen ? 'open' : `${count - left} of ${count} parties have counted down`
  const lines = [isSet ? `${title}: ${state}, kept for ${formatDuration(remainingMs)}` : `${title}: ${state}`]
  if (parties.length > 0) lines.push(`counted down: ${parties.map(escapeText).join(', ')}`)
  if (waiterCount > 0) lines.push(`waiting: ${waiterCount}`)
  for (const { clientId, client } of waiters)
    lines.push(`  ${client ? describeClient(client) : escapeText(clientId)}`)
  return lines
}
