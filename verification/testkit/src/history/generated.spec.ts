import fc from 'fast-check'
import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import {
  acquired,
  requested,
  confirmed,
  ended,
  killed,
  lock,
  queued,
  refused,
  stalled,
} from './short-events.js'
import type { Promised } from './violation.js'

/** What one caller does, without faults. */
interface Plan {
  /** From the previous request to its own. */
  readonly afterMs: number
  readonly waitMs: number | null
  readonly holdMs: number
  readonly nested: boolean
  readonly end: 'leaves' | 'dies' | 'loses' | 'stalls'
}

const leaseMs = 8
const plans: fc.Arbitrary<readonly Plan[]> = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 12 }),
    waitMs: fc.option(fc.integer({ min: 0, max: 60 })),
    holdMs: fc.integer({ min: 2, max: 20 }),
    nested: fc.boolean(),
    end: fc.constantFrom('leaves', 'leaves', 'leaves', 'dies', 'loses', 'stalls'),
  }),
  { maxLength: 25 },
)

/** A correct queue: first come, first served, one at a time, with growing tokens. Each call has its own process. */
function simulate(callers: readonly Plan[]): HistoryEvent[] {
  const events: HistoryEvent[] = []
  let askMs = 0
  let freeMs = 0
  callers.forEach((plan, n) => {
    const call = `c${n}`
    const process = `P${n}`
    const record = (event: HistoryEvent) => events.push('process' in event ? { ...event, process } : event)
    askMs += plan.afterMs
    const isFree = freeMs <= askMs
    const fromMs = isFree ? askMs + 0.5 : freeMs + 0.5
    const queuedMs = isFree || plan.waitMs === 0 ? null : askMs + 0.25
    // A hold that does not end by leaving needs a reason: here, an expired lease.
    record(requested(askMs, call, { waitMs: plan.waitMs, ...(plan.end === 'loses' && { leaseMs }) }))
    if (queuedMs !== null) record(queued(queuedMs, call))
    if (plan.waitMs !== null && !isFree && fromMs >= askMs + plan.waitMs) {
      record(refused(askMs + Math.max(0.5, plan.waitMs), call))
      return
    }
    const token = 100 + n
    const endMs = fromMs + plan.holdMs
    let claimMs = fromMs + leaseMs
    record(acquired(fromMs, call, claimMs, { token }))
    for (let renewMs = fromMs + leaseMs / 2; renewMs < endMs; renewMs += leaseMs / 2) {
      claimMs = renewMs + leaseMs
      record(confirmed(renewMs, call, claimMs))
    }
    if (plan.nested) {
      const inner = `${call}+`
      record(requested(fromMs + 0.1, inner))
      record(acquired(fromMs + 0.2, call, fromMs + leaseMs, { call: inner, count: 2, token }))
      record(ended('left', fromMs + 0.3, call, inner))
      record(ended('released', fromMs + 0.4, call, inner))
    }
    switch (plan.end) {
      case 'leaves':
        record(ended('left', endMs, call))
        record(ended('released', endMs + 0.75, call))
        break
      case 'loses':
        record(ended('lost', endMs, call))
        record(ended('left', endMs + 5, call))
        break
      case 'dies':
        record(killed(endMs, process))
        break
      case 'stalls':
        record(stalled(claimMs + 30, process, claimMs + 30 - endMs))
        record(ended('lost', claimMs + 30, call))
        record(ended('left', claimMs + 31, call))
    }
    freeMs = plan.end === 'stalls' ? claimMs : endMs
  })
  return events
}

function brokenIn(events: readonly HistoryEvent[]): Promised[] {
  const found = checkHistory(events, { slackMs: 5, settleMs: 1_000, recoveryMs: 5, commandTimeoutMs: 5 })
  return found.map(({ promise }) => promise)
}

it('a correct history breaks nothing', () => {
  fc.assert(
    fc.property(plans, (callers) => {
      expect(brokenIn(simulate(callers))).toEqual([])
    }),
  )
})

it('a correct history in any order breaks nothing', () => {
  fc.assert(
    fc.property(
      plans.chain((callers) => {
        const events = simulate(callers)
        return fc.shuffledSubarray(events, { minLength: events.length })
      }),
      (events) => {
        expect(brokenIn(events)).toEqual([])
      },
    ),
  )
})

it('a missing event that a call must have breaks progress', () => {
  fc.assert(
    fc.property(plans, fc.nat(), (callers, n) => {
      const events = simulate(callers)
      const dead = new Set(events.flatMap((event) => (event.kind === 'killed' ? event.process : [])))
      const owed = events.filter(
        (event) =>
          (event.kind === 'refused' || event.kind === 'released' || event.kind === 'acquired') &&
          !dead.has(event.process),
      )
      fc.pre(owed.length > 0)
      const missing = owed[n % owed.length]
      expect(brokenIn(events.filter((event) => event !== missing))).toContain('progress')
    }),
  )
})

it('another lock in between changes nothing', () => {
  fc.assert(
    fc.property(plans, plans, (callers, others) => {
      const elsewhere = simulate(others).map((event) => ({
        ...event,
        ...('lock' in event && { lock: `${lock} too` }),
        ...('process' in event && { process: `${event.process} too` }),
        ...('call' in event && { call: `${event.call} too` }),
      }))
      expect(brokenIn([...simulate(callers), ...elsewhere])).toEqual([])
    }),
  )
})
