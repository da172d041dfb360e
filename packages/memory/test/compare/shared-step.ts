import fc from 'fast-check'
import {
  entryTtlMs,
  hearing,
  inspect,
  owner,
  owners,
  pass,
  refreshedMs,
  times,
  tokenFloor,
  type Owner,
} from './step.js'

/** What an owner has the store do with a read/write lock or semaphore, or what happens besides. */
export type SharedStep =
  | {
      readonly kind: 'acquire'
      readonly owner: Owner
      readonly count: number
      readonly size: number
      readonly leaseMs: number
      readonly entryTtlMs: number
      readonly grantLeaseMs: number
      readonly tokenFloor: number
    }
  | {
      readonly kind: 'release'
      readonly owner: Owner
      readonly count: number
      readonly tombstoneMs: number
      readonly tokenFloor: number
    }
  | { readonly kind: 'force'; readonly owner: Owner; readonly tokenFloor: number }
  | {
      readonly kind: 'resize'
      readonly size: number
      readonly keepMs: number
      readonly version: number
      readonly id: string
      readonly tokenFloor: number
    }
  | { readonly kind: 'renew'; readonly owner: Owner; readonly leaseMs: number }
  | { readonly kind: 'refresh'; readonly owner: Owner; readonly entryTtlMs: number }
  | { readonly kind: 'inspect'; readonly limit: number }
  | { readonly kind: 'subscribe' | 'unsubscribe'; readonly owner: Owner }
  | { readonly kind: 'pass'; readonly ms: number }
  /** Redis evicts one of the keys that have the holds. */
  | { readonly kind: 'evict'; readonly key: 'main' | 'ends' }

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
const leaseOf = (holder: Owner) => (ms: number) => {
  const rank = owners.indexOf(holder)
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
const evict = fc.record({ kind: fc.constant('evict' as const), key: fc.constantFrom('main', 'ends') })

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
) as fc.Arbitrary<SharedStep>

/** Steps on one object, some of them sent twice. */
export const sharedSequence: fc.Arbitrary<readonly SharedStep[]> = fc
  .array(fc.tuple(once, fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 40 })
  .map((list) => list.flatMap(([step, roll]) => (roll === 1 ? [step, step] : [step])))
