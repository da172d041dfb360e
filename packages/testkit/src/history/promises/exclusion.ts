import type { History } from '../history.js'
import { groupBy } from '../grouping.js'
import type { Hold, Stretch } from '../holds.js'
import { evidence, type Violation } from '../violation.js'

interface Claim {
  readonly hold: Hold
  readonly stretch: Stretch
}

/** No two holds of one lock are live at one instant. Two holds that overlap more than once are reported once. */
export function checkExclusion({ holds, faults }: History): Violation[] {
  return [...groupBy(holds, ({ lock }) => lock).entries()].flatMap(([lock, ofLock]) =>
    overlaps(ofLock, (since, atMs) => faults.excuse('exclusion', lock, since, atMs)).map(
      ([first, second]) => ({
        promise: 'exclusion',
        lock,
        message: `${nameOf(first.hold)} and ${nameOf(second.hold)} held ${lock} at once${durationOf(first, second)}`,
        events: evidence(
          first.hold.entries[0],
          first.stretch.from,
          second.hold.entries[0],
          second.stretch.from,
          endOf(first, second).until,
        ),
      }),
    ),
  )
}

function overlaps(
  holds: readonly Hold[],
  isExcused: (sinceMs: number, atMs: number) => boolean,
): [first: Claim, second: Claim][] {
  const claims = holds
    .flatMap((hold) => hold.live.map((stretch) => ({ hold, stretch })))
    .filter(({ stretch }) => stretch.untilMs > stretch.fromMs)
    .sort((a, b) => a.stretch.fromMs - b.stretch.fromMs)
  const found: [Claim, Claim][] = []
  let live: Claim[] = []
  for (const claim of claims) {
    const { fromMs } = claim.stretch
    live = live.filter(({ stretch }) => stretch.untilMs > fromMs)
    for (const other of live) {
      const sinceMs = Math.min(other.hold.entries[0].atMs, claim.hold.entries[0].atMs)
      const isKnown = found.some(
        (pair) =>
          pair.some(({ hold }) => hold === other.hold) && pair.some(({ hold }) => hold === claim.hold),
      )
      if (!isKnown && !isExcused(sinceMs, fromMs)) found.push([other, claim])
    }
    live.push(claim)
  }
  return found
}

function endOf(first: Claim, second: Claim): Stretch {
  return first.stretch.untilMs < second.stretch.untilMs ? first.stretch : second.stretch
}

function nameOf({ process, owner }: Hold): string {
  return `${process} (owner ${owner})`
}

function durationOf(first: Claim, second: Claim): string {
  const { untilMs } = endOf(first, second)
  return untilMs === Infinity ? '' : ` for ${(untilMs - second.stretch.fromMs).toFixed(1)} ms`
}
