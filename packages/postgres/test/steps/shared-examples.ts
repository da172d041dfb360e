import { firstExactToken, ownerOf, proofOf, unitMs, type Step, type StepOf } from '@holdfast/model'

type Client = 'A' | 'B' | 'C' | 'D'
type Acquire = StepOf<'acquire'>

const acquire = (client: Client, count: number, more: Partial<Acquire> = {}): Step => ({
  kind: 'acquire',
  owner: ownerOf(client),
  proof: proofOf(ownerOf(client)),
  count,
  size: 3,
  leaseMs: 6.25 * unitMs,
  entryTtlMs: 0,
  grantLeaseMs: 3.25 * unitMs,
  tokenFloor: 0,
  ...more,
})
const wait = (client: Client, count: number, units = 4.25, more: Partial<Acquire> = {}): Step =>
  acquire(client, count, { entryTtlMs: units * unitMs, ...more })
const short = { leaseMs: 1.25 * unitMs }
const release = (client: Client, count = 0, tombstoneUnits = 0): Step => ({
  kind: 'release',
  owner: ownerOf(client),
  count,
  tombstoneMs: tombstoneUnits * unitMs,
  tokenFloor: 0,
})
const resize = (size: number, version: number, id: string, units = 4.5): Step => ({
  kind: 'resize',
  size,
  keepMs: units * unitMs,
  version,
  id,
  tokenFloor: 0,
})
const renew = (client: Client, units: number): Step => ({
  kind: 'renew',
  owner: ownerOf(client),
  leaseMs: units * unitMs,
})
const refresh = (client: Client): Step => ({
  kind: 'refresh',
  owner: ownerOf(client),
  entryTtlMs: 2.75 * unitMs,
})
const pass = (units: number): Step => ({ kind: 'pass', ms: units * unitMs })
const deafen = (client: Client): Step => ({ kind: 'unsubscribe', owner: ownerOf(client) })
const inspect: Step = { kind: 'inspect', limit: 10 }

/** What random sequences seldom hit upon, and what each of the mistakes shows in. */
export const sharedExamples: readonly (readonly Step[])[] = [
  // Neighbours enter together; the first that does not fit stops those behind it.
  [
    acquire('A', 3),
    wait('B', 1),
    wait('C', 1),
    wait('D', 3),
    release('A'),
    inspect,
    release('B'),
    release('C'),
  ],
  [acquire('A', 2), wait('B', 3), wait('C', 1), inspect, release('A'), release('B'), inspect],
  [acquire('A', 2), wait('B', 3), acquire('C', 1), wait('D', 1)],
  // One that takes all that is left of the size that it knows is the last.
  [acquire('A', 2, { size: 2 }), wait('B', 2, 4.25, { size: 2 }), wait('C', 1), release('A'), inspect],
  // Holds end, and their permits with them.
  [acquire('A', 2, short), acquire('B', 1), pass(2), acquire('C', 2), inspect, release('A'), release('B')],
  [acquire('A', 2, short), acquire('B', 1), wait('C', 3), pass(2), refresh('C'), release('B'), inspect],
  [acquire('A', 3, short), wait('B', 1), wait('C', 1), pass(2), wait('B', 1), inspect],
  [acquire('A', 1), renew('A', 1.25), pass(2), renew('A', 6.25), inspect],
  [acquire('A', 1, short), pass(2), renew('A', 3.25), inspect],
  [acquire('A', 1), acquire('A', 1, { leaseMs: 20_000 }), inspect],
  // Permits are given back in part, and once.
  [acquire('A', 3), release('A', 1), release('A', 1), release('A', 2), acquire('A', 2), inspect],
  [acquire('A', 3), wait('B', 2), release('A', 1), inspect, release('A'), release('A')],
  [acquire('A', 1), release('B', 1), release('B'), inspect],
  // Tombstones, stale waiters, waiters that nobody can notify.
  [release('A', 0, 2.25), acquire('A', 1), pass(5), acquire('A', 1)],
  [acquire('A', 3), wait('B', 3, 1.25), wait('C', 1), pass(2), release('A'), inspect],
  [acquire('A', 3), wait('B', 1), wait('C', 1), deafen('B'), release('A'), inspect, wait('B', 1)],
  [acquire('A', 3), wait('B', 1), wait('C', 1), wait('B', 1), inspect, release('B'), inspect],
  [acquire('A', 1), wait('B', 3), wait('C', 1), release('B'), inspect],
  [acquire('A', 3), wait('B', 1, 1.25), pass(5), inspect, wait('C', 1), inspect],
  [acquire('A', 3), wait('B', 1, 1.25), pass(2), refresh('B'), inspect],
  [acquire('A', 1), wait('B', 3), wait('C', 3), refresh('B'), refresh('C'), release('A'), refresh('B')],
  // A requester that waits is judged at its position.
  [acquire('A', 2), acquire('B', 1), wait('C', 2), wait('D', 1), release('B'), wait('D', 1), wait('C', 2)],
  [acquire('A', 3, short), wait('B', 2), wait('C', 2), pass(2), wait('C', 2), inspect],
  // Sizes.
  [acquire('A', 3), wait('B', 3), wait('C', 1), resize(2, 0, 'x'), release('A'), inspect],
  [acquire('A', 1), resize(0, 0, 'x'), wait('B', 1, 1.25), wait('C', 1), pass(2), release('A'), inspect],
  [resize(0, 0, 'x'), wait('A', 1), refresh('A'), resize(2, 1, 'y'), inspect],
  [resize(1, 0, 'x'), resize(2, 0, 'y'), resize(1, 0, 'x'), resize(2, 1, 'y'), inspect],
  [resize(1, 0, 'x', 1.5), acquire('A', 1), acquire('B', 1), pass(2), acquire('B', 1), inspect],
  [
    acquire('A', 3),
    wait('B', 3),
    resize(1, 0, 'x', 1.5),
    release('A'),
    acquire('C', 1),
    release('C'),
    pass(2),
    refresh('B'),
  ],
  [acquire('A', 1), wait('B', 3), { kind: 'force', owner: ownerOf('A'), tokenFloor: 0 }, inspect],
  // Tokens.
  [acquire('A', 1, { tokenFloor: firstExactToken }), acquire('B', 1), release('A'), inspect],
  [
    acquire('A', 3),
    wait('B', 1),
    wait('C', 1, 4.25, { grantLeaseMs: 20_000 }),
    release('A'),
    pass(5),
    inspect,
  ],
]
