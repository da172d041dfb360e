import type { HistoryEvent } from './event.js'

/** The event of that kind. */
export type OfKind<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { kind: Kind }>

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** Sorted by time; events of the same instant keep their order. */
export function inOrder(events: readonly HistoryEvent[]): HistoryEvent[] {
  return [...events].sort((a, b) => a.atMs - b.atMs)
}
