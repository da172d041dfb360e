import { firstExactToken, unitMs, type Step, type StepOf } from '@holdfast/model'
import {
  acquiring,
  deafen,
  force,
  inspect,
  pass,
  refresh,
  release,
  renew,
  resize,
  short,
  type Client,
} from './example-steps.js'

const acquire = acquiring(3)
const wait = (client: Client, count: number, units = 4.25, more: Partial<StepOf<'acquire'>> = {}): Step =>
  acquire(client, count, { entryTtlMs: units * unitMs, ...more })

/** Steps of others than those that hold or wait. */
const others = [acquire('D', 1), wait('D', 1), release('D'), release('D', 1), force('D'), resize(4, 0, 'x')]

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
  ...others.map((step) => [
    acquire('A', 1, short),
    acquire('B', 1, { leaseMs: 3.25 * unitMs }),
    acquire('C', 1),
    pass(2),
    step,
    inspect,
  ]),
  // Queues end, and sizes.
  ...others.map((step) => [acquire('A', 2), wait('B', 2, 1.25), pass(5), step, inspect]),
  ...others.map((step) => [resize(1, 0, 'y', 1.5), acquire('A', 1), pass(2), step, inspect]),
  ...[release('A'), force('A'), resize(3, 0, 'x')].map((step) => [
    acquire('A', 3),
    wait('B', 3),
    resize(1, 0, 'y', 1.5),
    pass(2),
    step,
    inspect,
  ]),
  // Permits are given back in part, and once.
  [acquire('A', 3), release('A', 1), release('A', 1), release('A', 2), acquire('A', 2), inspect],
  [acquire('A', 3, { size: 6 }), acquire('B', 2, { size: 6 }), release('A', 1), inspect, release('B')],
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
  [acquire('A', 3), wait('B', 1, 1.25), refresh('B', 4.75), pass(2), inspect],
  [acquire('A', 1), wait('B', 3), wait('C', 3), refresh('B'), refresh('C'), release('A'), refresh('B')],
  // A requester that waits is judged at its position.
  [acquire('A', 2), acquire('B', 1), wait('C', 2), wait('D', 1), release('B'), wait('D', 1), wait('C', 2)],
  [acquire('A', 3, short), wait('B', 2), wait('C', 2), pass(2), wait('C', 2), inspect],
  [acquire('A', 3, short), wait('C', 1), pass(2), acquire('C', 1), inspect],
  [acquire('A', 3, short), wait('B', 1, 1.25), wait('C', 1), pass(2), acquire('B', 1), inspect],
  [acquire('A', 3, short), wait('B', 1, 1.25), wait('C', 1), pass(2), wait('C', 1), inspect],
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
  [acquire('A', 1), wait('B', 3), wait('C', 1), deafen('C'), resize(2, 0, 'x'), refresh('C'), inspect],
  [acquire('A', 1), resize(0, 0, 'x'), wait('B', 1, 1.25), wait('C', 1), pass(2), refresh('C'), inspect],
  [resize(1, 0, 'x', 1.5), pass(2), inspect],
  [resize(1, 0, 'x', 1.5), pass(2), resize(1, 0, 'x'), inspect],
  [resize(1, 0, 'x', 1.5), pass(2), resize(2, 1, 'y'), inspect],
  [acquire('A', 3), wait('B', 1), resize(4, 0, 'x'), inspect],
  [acquire('A', 2, short), wait('B', 3), pass(2), resize(3, 0, 'x'), inspect],
  [acquire('A', 1), wait('B', 3), force('A'), inspect],
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
