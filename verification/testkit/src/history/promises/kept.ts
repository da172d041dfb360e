import type { Call } from '../calls.js'
import type { OfKind } from '../grouping.js'
import { groupBy } from '../grouping.js'
import type { History } from '../history.js'
import type { Hold } from '../holds.js'
import { evidence, type Violation } from '../violation.js'

/** Timers and whole milliseconds, and clocks that are wrong by one in a hundred. */
const roundingMs = 2
const drift = 0.01

/** How long a lock stays held when its holder has left it, by what was acknowledged. */
interface Kept {
  readonly call: Call
  readonly left: OfKind<'left'>
  readonly untilMs: number
  readonly how: string
}

/**
 * A lock that was left is held until the time that its holder asked for, by no one or by who takes it over; and of those who take
 * over what one call has handed over one gets it, the first.
 */
export function checkKept(history: History): Violation[] {
  const holds = groupBy(history.holds, ({ lock }) => lock)
  return [
    ...history.calls
      .flatMap((call) => keptBy(call, holds.get(call.requested.lock) ?? []))
      .flatMap((kept) => servedWhileKept(kept, holds.get(kept.left.lock) ?? [], history)),
    ...admittedTwice(history),
    ...handedOverInVain(history),
  ]
}

/** What a release has kept, or a hand-over, that was acknowledged. */
function keptBy(call: Call, ofLock: readonly Hold[]): Kept[] {
  const { requested, acquired, left, released } = call
  const { atLeastMs, handsOverMs } = requested
  if (!acquired || !left || !released) return []
  if (handsOverMs !== undefined)
    return [{ call, left, untilMs: left.atMs + atLeast(handsOverMs), how: 'handed over' }]
  if (atLeastMs === undefined) return []
  // It was granted when it was requested, or when the one before had ended.
  const before = ofLock
    .filter(({ entries: [{ atMs }] }) => atMs < acquired.atMs)
    .at(-1)
    ?.live.at(-1)
  const grantedMs = Math.max(requested.atMs, Math.min(before?.untilMs ?? -Infinity, acquired.atMs))
  return [{ call, left, untilMs: grantedMs + atLeast(atLeastMs), how: 'kept' }]
}

const atLeast = (ms: number): number => ms * (1 - drift) - roundingMs

function servedWhileKept(
  { call, left, untilMs, how }: Kept,
  ofLock: readonly Hold[],
  { calls, faults }: History,
): Violation[] {
  const { lock, process } = left
  // Once it may have been taken over, it may have been released, too.
  const taken = calls.find(
    ({ requested, refused }) => requested.ticketOf === left.call && refused?.reason !== 'timeout',
  )
  const freeAtMs = Math.min(untilMs, taken?.requested.atMs ?? Infinity)
  return ofLock.flatMap(({ entries: [entered] }) => {
    if (entered.atMs <= left.atMs || entered.atMs >= freeAtMs) return []
    if (faults.excuse('exclusion', lock, call.requested.atMs, entered.atMs)) return []
    return {
      promise: 'exclusion',
      lock,
      message: `${entered.process} was granted ${lock} ${(untilMs - entered.atMs).toFixed(1)} ms before the end of what ${process} has ${how}`,
      events: evidence(call.requested, call.acquired, left, call.released, entered),
    }
  })
}

/** Who takes over first, in time, gets the lock. */
function handedOverInVain({ calls, faults, options }: History): Violation[] {
  return calls.flatMap(({ requested: handing, left, released }) => {
    if (!left || !released || handing.handsOverMs === undefined) return []
    const takers = calls.filter(({ requested }) => requested.ticketOf === handing.call)
    const endMs = left.atMs + atLeast(handing.handsOverMs) - options.slackMs
    const [first] = takers
    if (first?.refused?.reason !== 'timeout' || first.refused.atMs > endMs) return []
    // Another one may have been first at the store.
    if (takers.some((other) => other !== first && other.requested.atMs < (first.refused?.atMs ?? 0)))
      return []
    const { lock } = handing
    if (!faults.quiet(lock, { fromMs: handing.atMs, untilMs: first.refused.atMs })) return []
    return {
      promise: 'progress',
      lock,
      message: `${first.requested.process} did not get ${lock}, which ${handing.call} has handed over to it`,
      events: evidence(handing, left, released, first.requested, first.refused),
    }
  })
}

function admittedTwice({ calls, faults }: History): Violation[] {
  const byTicket = groupBy(
    calls.filter(({ requested, acquired }) => requested.ticketOf !== undefined && acquired),
    ({ requested }) => requested.ticketOf ?? '',
  )
  return [...byTicket.entries()].flatMap(([ticket, [first, second]]) => {
    if (!first?.acquired || !second?.acquired) return []
    const { lock, process } = second.acquired
    if (faults.excuse('exclusion', lock, first.requested.atMs, second.acquired.atMs)) return []
    return {
      promise: 'exclusion',
      lock,
      message: `${first.acquired.process} and ${process} both took over ${lock} from ${ticket}`,
      events: evidence(first.requested, first.acquired, second.requested, second.acquired),
    }
  })
}
