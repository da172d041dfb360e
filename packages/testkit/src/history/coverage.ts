import type { HistoryEvent } from './event.js'
import { groupBy } from './grouping.js'
import { handOffsOf } from './hand-offs.js'
import { takeApart, type CheckOptions, type History } from './history.js'
import { placeOf, turnEndMs, waitersByPlace } from './waiters.js'

/** How much of a history the checker could judge: the rest was excused or disturbed by faults, or is not known. */
export interface Coverage {
  /** Holds, and those that had to exclude the one before on their lock. */
  readonly holds: number
  readonly holdsJudged: number
  /** Places in queues, and those that nobody was allowed to overtake while they lasted. */
  readonly waits: number
  readonly waitsJudged: number
  /** How long each hand-off took while nothing was wrong. */
  readonly handOffsMs: readonly number[]
}

/** What {@link checkHistory}, with these options, had to look at. */
export function coverageOf(events: readonly HistoryEvent[], options: CheckOptions = {}): Coverage {
  const history = takeApart(events, options)
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
  const waiters = waitersByPlace(calls)
  const places = groupBy(
    events.filter((event) => event.kind === 'queued'),
    placeOf,
  )
  const judged = [...places.entries()].filter(([key, [place]]) => {
    const waiter = waiters.get(key)
    if (!place || !waiter) return false
    const untilMs = turnEndMs(waiter, options.slackMs)
    return (
      untilMs > place.atMs && !faults.disturbed(place.process, place.lock, { fromMs: place.atMs, untilMs })
    )
  })
  return { waits: places.size, waitsJudged: judged.length }
}
