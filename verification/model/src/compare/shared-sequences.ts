import fc from 'fast-check'
import { proofOf, type Step } from '../step.js'
import {
  comparedOwners,
  entryTtlMs,
  hearing,
  inspect,
  owner,
  pass,
  refreshedMs,
  times,
  tokenFloor,
} from './lock-sequences.js'

const all = 1_000_000_000

/** What is wanted of how much. Clients may know different sizes; a read/write lock has the largest. */
const wants = fc.constantFrom(
  ...[
    [1, 3],
    [1, 3],
    [2, 3],
    [3, 3],
    [1, 2],
    [2, 2],
    [1, all],
    [all, all],
  ].map(([count = 1, size = 1]) => ({ count, size })),
)

/** Of two holds, that which ends first must not hang on a millisecond: no two owners have the same leases. */
const leaseOf = (holder: string) => (ms: number) => {
  const rank = comparedOwners.indexOf(holder)
  return ms + rank * (ms < 60_000 ? 2_500 : 15_000)
}
const leaseMs = fc.oneof(fc.constant(20_000), times([1.25, 3.25, 6.25]))

const acquire = fc
  .record({
    owner,
    wanted: wants,
    leaseMs,
    entryTtlMs: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 4, arbitrary: entryTtlMs }),
    grantLeaseMs: leaseMs,
    tokenFloor,
  })
  .map(({ wanted, ...request }) => ({
    kind: 'acquire' as const,
    ...request,
    ...wanted,
    proof: proofOf(request.owner),
    leaseMs: leaseOf(request.owner)(request.leaseMs),
    grantLeaseMs: leaseOf(request.owner)(request.grantLeaseMs),
  }))
const release = fc.record({
  kind: fc.constant('release' as const),
  owner,
  count: fc.constantFrom(0, 0, 0, 0, 1, 1, 2),
  tombstoneMs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: times([2.25, 5.25]) },
  ),
  tokenFloor,
})
const force = fc.record({ kind: fc.constant('force' as const), owner, tokenFloor })
const resize = fc.record({
  kind: fc.constant('resize' as const),
  size: fc.constantFrom(0, 1, 2, 3, 4, all),
  keepMs: times([1.5, 4.5]),
  version: fc.constantFrom(0, 0, 1, 2),
  id: fc.constantFrom('x', 'y', 'z'),
  tokenFloor,
})
const renew = fc
  .record({ kind: fc.constant('renew' as const), owner, leaseMs })
  .map((step) => ({ ...step, leaseMs: leaseOf(step.owner)(step.leaseMs) }))
const refresh = fc.record({ kind: fc.constant('refresh' as const), owner, entryTtlMs: refreshedMs })
const evict = fc.record({
  kind: fc.constant('evict' as const),
  key: fc.constantFrom('main' as const, 'ends' as const),
})

const once = fc.oneof(
  { weight: 14, arbitrary: acquire },
  { weight: 7, arbitrary: release },
  { weight: 1, arbitrary: force },
  { weight: 2, arbitrary: resize },
  { weight: 2, arbitrary: renew },
  { weight: 3, arbitrary: refresh },
  { weight: 1, arbitrary: inspect },
  { weight: 2, arbitrary: hearing },
  { weight: 4, arbitrary: pass },
  { weight: 1, arbitrary: evict },
)

/** Steps on one object, some of them sent twice. */
export const sharedSequence: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.tuple(once, fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 40 })
  .map((list) => list.flatMap(([step, roll]) => (roll === 1 ? [step, step] : [step])))
