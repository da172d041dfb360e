import type { HistoryEvent } from '../event.js'
import type { History } from '../history.js'
import { groupBy } from '../grouping.js'
import type { Hold, Stretch } from '../holds.js'
import { evidence, type Violation } from '../violation.js'

/** A time in which a hold was live with as many permits. */
interface Claim {
  readonly hold: Hold
  readonly fromMs: number
  readonly untilMs: number
  readonly permits: number
  /** Since when its permits may have been granted, if they were not held just before. */
  readonly soughtSinceMs: number | null
  readonly from: HistoryEvent
  readonly until: HistoryEvent | null
}

/** Holds that had more permits together than there were. */
interface Conflict {
  readonly claims: readonly [...Claim[], Claim]
  readonly size: number
}

/**
 * The permits of live holds are never more than their object has, when one of them begins or gets more: for a lock, no two
 * holds are live at one instant. Two holds that overlap more than once are reported once.
 */
export function checkExclusion(history: History): Violation[] {
  const { holds, calls } = history
  const requestedAtMs = new Map(calls.map(({ requested }) => [requested.call, requested.atMs]))
  return [...groupBy(holds, ({ lock }) => lock).entries()].flatMap(([lock, ofLock]) =>
    conflictsOf(lock, claimsOf(ofLock, requestedAtMs), history).map(({ claims, size }) => ({
      promise: 'exclusion',
      lock,
      message: messageOf(lock, claims, size),
      events: evidence(...claims.flatMap(({ hold, from }) => [hold.entries[0], from]), endOf(claims).until),
    })),
  )
}

function conflictsOf(lock: string, claims: readonly Claim[], { faults, sizes }: History): Conflict[] {
  const found: Conflict[] = []
  let live: Claim[] = []
  for (const claim of claims) {
    const { fromMs, soughtSinceMs, permits } = claim
    live = live.filter(({ untilMs }) => untilMs > fromMs)
    if (soughtSinceMs !== null) {
      const size = sizes.most(lock, { fromMs: soughtSinceMs, untilMs: fromMs })
      const rivals = live.filter((other) => {
        const sinceMs = Math.min(other.hold.entries[0].atMs, claim.hold.entries[0].atMs)
        return !faults.excuse('exclusion', lock, sinceMs, fromMs)
      })
      const singly = rivals.filter((other) => other.permits + permits > size)
      for (const other of singly) {
        if (!isKnown(found, other, claim)) found.push({ claims: [other, claim], size })
      }
      if (singly.length === 0 && sumOf(rivals) + permits > size) {
        found.push({ claims: [...rivals, claim], size })
      }
    }
    live.push(claim)
  }
  return found
}

/** In the order in which they begin. */
function claimsOf(holds: readonly Hold[], requestedAtMs: ReadonlyMap<string, number>): Claim[] {
  return holds
    .flatMap((hold) => {
      const [{ call, atMs }] = hold.entries
      let soughtSinceMs = requestedAtMs.get(call) ?? atMs
      return hold.live.flatMap((stretch) => {
        const claims = claimsIn(hold, stretch, soughtSinceMs)
        soughtSinceMs = stretch.untilMs
        return claims
      })
    })
    .filter(({ fromMs, untilMs }) => untilMs > fromMs)
    .sort((a, b) => a.fromMs - b.fromMs)
}

/** One for each number of permits that the hold needed in that time. */
function claimsIn(hold: Hold, { fromMs, untilMs, from, until }: Stretch, soughtSinceMs: number): Claim[] {
  const levels = hold.levels.filter((level, n) => {
    const next = hold.levels[n + 1]
    return level.fromMs < untilMs && (!next || next.fromMs > fromMs)
  })
  return levels.map((level, n) => {
    const [before, next] = [levels[n - 1], levels[n + 1]]
    const isMore = before === undefined || before.permits < level.permits
    return {
      hold,
      fromMs: before ? level.fromMs : fromMs,
      untilMs: next ? next.fromMs : untilMs,
      permits: level.permits,
      soughtSinceMs: isMore ? (before?.fromMs ?? soughtSinceMs) : null,
      from: before ? level.from : from,
      until: next ? next.from : until,
    }
  })
}

function isKnown(found: readonly Conflict[], one: Claim, other: Claim): boolean {
  return found.some(({ claims }) =>
    [one, other].every(({ hold }) => claims.some((claim) => claim.hold === hold)),
  )
}

function sumOf(claims: readonly Claim[]): number {
  return claims.reduce((sum, { permits }) => sum + permits, 0)
}

function endOf(claims: readonly [...Claim[], Claim]): Claim {
  return claims.reduce((first, claim) => (claim.untilMs <= first.untilMs ? claim : first))
}

function messageOf(lock: string, claims: Conflict['claims'], size: number): string {
  const names = claims.map(({ hold: { process, owner } }) => `${process} (owner ${owner})`)
  const last = names.pop() ?? ''
  const all = names.length === 0 ? last : `${names.join(', ')} and ${last}`
  if (claims.some(({ permits }) => permits === size))
    return `${all} held ${lock} at once${durationOf(claims)}`
  return `${all} held ${sumOf(claims)} of ${size} permits of ${lock} at once${durationOf(claims)}`
}

function durationOf(claims: Conflict['claims']): string {
  const { untilMs } = endOf(claims)
  const fromMs = Math.max(...claims.map((claim) => claim.fromMs))
  return untilMs === Infinity ? '' : ` for ${(untilMs - fromMs).toFixed(1)} ms`
}
