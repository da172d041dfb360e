import type { HistoryEvent } from './event.js'
import { groupBy } from './grouping.js'
import { handOffsOf } from './hand-offs.js'
import { parseHistory, type CheckOptions, type History } from './history.js'
import { entryKey, turnEndMs, waitersByEntry } from './waiters.js'

/** How much of a history the checker could judge: the rest was excused or disturbed by faults, or is not known. */
export interface Coverage {
  /** Holds, and those that had to exclude the previous one on their lock. */
  readonly holds: number
  readonly holdsJudged: number
  /** Queue entries, and those that no later request was allowed to overtake. */
  readonly waits: number
  readonly waitsJudged: number
  /** How long each undisturbed hand-off took. */
  readonly handOffsMs: readonly number[]
}

/** How much {@link checkHistory} can judge with these options. */
export function coverageOf(events: readonly HistoryEvent[], options: CheckOptions = {}): Coverage {
  const history = parseHistory(events, options)
  return {
    holds: history.holds.length,
    holdsJudged: countHoldsJudged(history),
    ...countWaits(history),
    handOffsMs: handOffsOf(history).map(({ tookMs }) => tookMs),
  }
}

function countHoldsJudged({ holds, faults }: History): number {
  return [...groupBy(holds, ({ lock }) => lock).entries()]
    .flatMap(([lock, ofLock]) =>
      ofLock.map(({ entries: [{ atMs }] }, n) => {
        const sinceMs = ofLock[n - 1]?.entries[0].atMs ?? atMs
        return !faults.excuse('exclusion', lock, sinceMs, atMs)
      }),
    )
    .filter((isJudged) => isJudged).length
}

function countWaits({ events, calls, faults, options }: History): Pick<Coverage, 'waits' | 'waitsJudged'> {
  const waiters = waitersByEntry(calls)
  const queueEntries = groupBy(
    events.filter((event) => event.kind === 'queued'),
    entryKey,
  )
  const judged = [...queueEntries.entries()].filter(([key, [queueEntry]]) => {
    const waiter = waiters.get(key)
    if (!queueEntry || !waiter) return false
    const untilMs = turnEndMs(waiter, options.slackMs)
    return (
      untilMs > queueEntry.atMs &&
      !faults.disturbed(queueEntry.process, queueEntry.lock, { fromMs: queueEntry.atMs, untilMs })
    )
  })
  return { waits: queueEntries.size, waitsJudged: judged.length }
}
