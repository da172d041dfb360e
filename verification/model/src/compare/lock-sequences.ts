import fc from 'fast-check'
import { heirOfOwner, ownerOf, proofOf, type Step } from '../step.js'
import { firstExactToken } from './tokens.js'

/** Time passes only in steps of whole ones of these, and no time to live is a multiple: none ends when it is looked at. */
export const unitMs = 600_000
export const times = (units: readonly number[]) => fc.constantFrom(...units.map((each) => each * unitMs))

/** The owners of all sequences. */
export const comparedOwners = ['A', 'B', 'C', 'D'].map(ownerOf)
export const owner = fc.constantFrom(...comparedOwners)

/** Who may hold what two of them have handed over. */
const heir = fc.constantFrom(...comparedOwners.slice(0, 2).map(heirOfOwner))
const anyHolder = fc.oneof({ weight: 5, arbitrary: owner }, { weight: 1, arbitrary: heir })

/** Of a hold: the first makes the fence live for its least, 60 s. */
const leaseMs = fc.oneof(fc.constant(20_000), times([1.25, 3.25, 6.25]))
export const entryTtlMs = times([1.25, 2.25, 4.25])
/** Others than the first: whether one is longer than what is left of another must not hang on a millisecond. */
export const refreshedMs = times([1.75, 2.75, 4.75])
/** Larger than any token that comes from a clock; smaller than those, with as many digits; or none. */
export const tokenFloor = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constant(1_000_000_000_000_000) },
  { weight: 1, arbitrary: fc.constantFrom(firstExactToken, firstExactToken + 1_000_000) },
)

const acquire = fc
  .record({
    kind: fc.constant('acquire' as const),
    owner,
    count: fc.constantFrom(1, 1, 1, 1, 2, 3),
    leaseMs,
    entryTtlMs: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 4, arbitrary: entryTtlMs }),
    grantLeaseMs: leaseMs,
    tokenFloor,
  })
  .map((request) => ({ ...request, proof: proofOf(request.owner) }))
const releaseOnly = fc.record({
  kind: fc.constant('release' as const),
  owner: anyHolder,
  count: fc.constantFrom(0, 0, 0, 1, 2),
  tombstoneMs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: times([2.25, 5.25]) },
  ),
  keepMs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: times([1.5, 4.5]) },
  ),
  tokenFloor,
})
const handOver = fc.record({
  kind: fc.constant('release' as const),
  owner,
  count: fc.constant(0),
  tombstoneMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: times([2.25]) }),
  keepMs: times([1.5, 4.5]),
  heir,
  tokenFloor,
})
const release = fc.oneof({ weight: 4, arbitrary: releaseOnly }, { weight: 3, arbitrary: handOver })
const takeOver = fc
  .record({
    kind: fc.constant('acquire' as const),
    owner,
    count: fc.constant(1),
    leaseMs,
    entryTtlMs: fc.constant(0),
    grantLeaseMs: leaseMs,
    heir,
    tokenFloor,
  })
  .map((request) => ({ ...request, proof: proofOf(request.owner) }))
const force = fc.record({ kind: fc.constant('force' as const), owner: anyHolder, tokenFloor })
const renew = fc.record({ kind: fc.constant('renew' as const), owner, leaseMs })
const refresh = fc.record({ kind: fc.constant('refresh' as const), owner, entryTtlMs: refreshedMs })
export const inspect = fc.record({ kind: fc.constant('inspect' as const), limit: fc.constantFrom(0, 2, 10) })
export const hearing = fc.record({
  kind: fc.constantFrom('subscribe' as const, 'unsubscribe' as const),
  owner,
})
export const pass = fc.record({ kind: fc.constant('pass' as const), ms: times([1, 2, 5]) })

const once = fc.oneof(
  { weight: 10, arbitrary: acquire },
  { weight: 7, arbitrary: release },
  { weight: 4, arbitrary: takeOver },
  { weight: 1, arbitrary: force },
  { weight: 2, arbitrary: renew },
  { weight: 3, arbitrary: refresh },
  { weight: 1, arbitrary: inspect },
  { weight: 2, arbitrary: hearing },
  { weight: 4, arbitrary: pass },
)

/** Steps on one lock, some of them sent twice. */
export const lockSequence: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.tuple(once, fc.integer({ min: 1, max: 8 })), { minLength: 1, maxLength: 40 })
  .map((list) => list.flatMap(([step, roll]) => (roll === 1 ? [step, step] : [step])))
