import type { History } from '../history.js'
import type { Faults } from '../faults.js'
import { groupBy } from '../grouping.js'
import { permitsOf, type Hold } from '../holds.js'
import type { Sizes } from '../sizes.js'
import { evidence, type Violation } from '../violation.js'

/**
 * The tokens of one lock grow from hold to hold, and every entry into a hold has its token. Holds that need not exclude each
 * other may have entered in one step, with one token.
 */
export function checkTokens({ holds, calls, faults, sizes }: History): Violation[] {
  const requestedAtMs = new Map(calls.map(({ requested }) => [requested.call, requested.atMs]))
  const requestedAfter = (hold: Hold, atMs: number) =>
    (requestedAtMs.get(hold.entries[0].call) ?? -Infinity) > atMs
  return [
    ...[...groupBy(holds, ({ lock }) => lock).values()].flatMap((ofLock) =>
      checkGrowth(ofLock, faults, sizes, requestedAfter),
    ),
    ...holds.flatMap((hold) => checkEntries(hold, faults)),
  ]
}

interface Granted {
  readonly token: number
  readonly hold: Hold
  /** When it was last live. */
  readonly untilMs: number
}

/**
 * A hold that was never live says nothing about the order: it may have been granted long before it was recorded. Nor do
 * two that overlap, or could have, unless the later one was requested after the other was recorded: either may have
 * been granted first.
 */
function checkGrowth(
  holds: readonly Hold[],
  faults: Faults,
  sizes: Sizes,
  requestedAfter: (hold: Hold, atMs: number) => boolean,
): Violation[] {
  const violations: Violation[] = []
  // The earlier holds, except those with a smaller token than one that had ended by then and that had the object to itself:
  // that one covers them.
  let before: Granted[] = []
  for (const hold of holds) {
    const [{ token, atMs, lock }] = hold.entries
    if (token === null || hold.live.length === 0) continue
    const excusedSinceMs = faults.excusedSinceMs('tokens', lock, atMs)
    const exclude = (other: Hold, permits: number) => {
      const span = { fromMs: other.entries[0].atMs, untilMs: atMs }
      return permitsOf(other) + permits > sizes.most(lock, span)
    }
    const ended = Math.max(
      ...before
        .filter((other) => other.untilMs <= atMs && exclude(other.hold, 1))
        .map((other) => other.token),
    )
    before = before.filter((other) => other.hold.entries[0].atMs > excusedSinceMs && other.token >= ended)
    const largest = before
      .filter(({ hold: other, untilMs }) => {
        const [{ atMs: otherAtMs }] = other.entries
        const excludedEachOther =
          exclude(other, permitsOf(hold)) && !faults.excuse('exclusion', lock, otherAtMs, atMs)
        return requestedAfter(hold, otherAtMs) || (excludedEachOther && untilMs <= atMs)
      })
      .reduce<Granted | null>((max, other) => (max && max.token >= other.token ? max : other), null)
    if (largest && largest.token >= token) {
      violations.push({
        promise: 'tokens',
        lock,
        message: `${hold.process} was granted ${lock} with token ${token}, after ${largest.hold.process} with ${largest.token}`,
        events: evidence(largest.hold.entries[0], hold.entries[0]),
      })
    }
    before.push({ token, hold, untilMs: hold.live.at(-1)?.untilMs ?? Infinity })
  }
  return violations
}

function checkEntries({ entries }: Hold, faults: Faults): Violation[] {
  const [first, ...others] = entries
  return others
    .filter(
      ({ token, lock, atMs }) =>
        token !== null &&
        first.token !== null &&
        token !== first.token &&
        !faults.excuse('tokens', lock, first.atMs, atMs),
    )
    .map((other) => ({
      promise: 'tokens',
      lock: first.lock,
      message: `${first.process} re-entered ${first.lock} with token ${String(other.token)}, in a hold with token ${String(first.token)}`,
      events: evidence(first, other),
    }))
}
