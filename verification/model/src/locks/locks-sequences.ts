import fc from 'fast-check'
import { owner, pass, times, unitMs } from '../compare/lock-sequences.js'
import { ownerOf, proofOf, type Step } from '../step.js'
import { lockNames, type LocksStep } from './locks-step.js'

const lock = fc.constantFrom(...lockNames)
const on = (step: fc.Arbitrary<Step>): fc.Arbitrary<LocksStep> =>
  fc.record({ kind: fc.constant('one' as const), lock, step })

const acquireMany = fc.record({
  kind: fc.constant('acquire many' as const),
  mode: fc.constantFrom('all' as const, 'first' as const),
  leaseMs: times([1.25, 3.25]),
  // Sometimes the same lock twice.
  locks: fc.array(fc.record({ lock, owner }), { minLength: 1, maxLength: 4 }),
})
const acquire = fc
  .record({ owner, entryTtlMs: fc.oneof(fc.constant(0), times([1.25, 2.25])) })
  .map((request) => ({
    kind: 'acquire' as const,
    ...request,
    count: 1,
    leaseMs: 2.25 * unitMs,
    grantLeaseMs: 2.25 * unitMs,
    proof: proofOf(request.owner),
    tokenFloor: 0,
  }))
const release = fc.record({
  kind: fc.constant('release' as const),
  owner,
  count: fc.constant(0),
  tombstoneMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: times([2.25]) }),
  tokenFloor: fc.constant(0),
})
/** The hold ends without a release, so that the lock is free while others wait for it. */
const evict = fc.record({ kind: fc.constant('evict' as const), key: fc.constant('main' as const) })

const once = fc.oneof(
  { weight: 6, arbitrary: acquireMany },
  { weight: 5, arbitrary: on(acquire) },
  { weight: 5, arbitrary: on(release) },
  { weight: 2, arbitrary: on(evict) },
  { weight: 2, arbitrary: pass },
)

/** Waiters of this owner are passed over. */
const unheard: readonly LocksStep[] = lockNames.map((name) => ({
  kind: 'one',
  lock: name,
  step: { kind: 'unsubscribe', owner: ownerOf('D') },
}))

/** Steps on a few locks, some of them sent twice. */
export const locksSequence: fc.Arbitrary<readonly LocksStep[]> = fc
  .array(fc.tuple(once, fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 25 })
  .map((list) => [...unheard, ...list.flatMap(([step, roll]) => (roll === 1 ? [step, step] : [step]))])
