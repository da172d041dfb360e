import { firstExactToken, heirOfOwner, ownerOf, unitMs, type Step, type StepOf } from '@holdfast/model'
import {
  acquiring,
  deafen,
  force,
  handOver,
  inspect,
  pass,
  refresh,
  keep,
  release,
  renew,
  short,
  type Client,
} from './example-steps.js'

const acquire = acquiring()
const wait = (client: Client, units = 4.25, more: Partial<StepOf<'acquire'>> = {}): Step =>
  acquire(client, 1, { entryTtlMs: units * unitMs, ...more })
/** The first takes over what the other one hands over. */
const takeOver = (client: Client, from: Client): Step =>
  acquire(client, 1, { heir: heirOfOwner(ownerOf(from)) })
const tryShortly = (client: Client): Step => acquire(client, 1, short)

/** What random sequences seldom hit upon, and what each of the mistakes shows in. */
export const lockExamples: readonly (readonly Step[])[] = [
  // The hold has ended unnoticed: whoever asks lets in those ahead of it, and only those.
  [tryShortly('A'), wait('B'), wait('C'), wait('D'), pass(2), wait('C'), inspect],
  [
    tryShortly('A'),
    wait('B'),
    wait('C'),
    wait('D'),
    deafen('B'),
    pass(2),
    wait('C'),
    inspect,
    release('C'),
    inspect,
  ],
  [tryShortly('A'), wait('B'), wait('C'), wait('D'), pass(2), wait('B'), inspect, release('B'), inspect],
  [tryShortly('A'), wait('B', 1.25), wait('C'), pass(2), acquire('D'), inspect],
  [tryShortly('A'), wait('B', 1.25), pass(2), acquire('D'), inspect, release('D'), inspect],
  // Nobody can be notified.
  [
    acquire('A'),
    wait('B'),
    wait('C'),
    deafen('B'),
    deafen('C'),
    release('A'),
    inspect,
    acquire('D'),
    inspect,
  ],
  [
    acquire('A'),
    wait('B'),
    wait('C'),
    deafen('B'),
    deafen('C'),
    release('A'),
    wait('C'),
    inspect,
    release('C'),
  ],
  [acquire('A'), wait('B'), wait('C'), wait('D'), deafen('B'), release('A'), inspect, release('C'), inspect],
  // Each gives up its own place.
  [acquire('A'), wait('B'), wait('C'), release('B'), inspect, release('D'), inspect, release('A'), inspect],
  [acquire('A'), wait('B'), wait('C'), force('B'), force('A'), inspect, force('C'), inspect],
  // A hold ends, and a queue.
  ...[acquire('C'), wait('C'), release('C'), release('C', 1), force('C'), force('A'), release('A')].flatMap(
    (step) => [
      [tryShortly('A'), pass(2), step, inspect],
      [acquire('A'), wait('B', 1.25), pass(5), step, inspect],
    ],
  ),
  // A release that keeps the lock, for less and for more than its lease; again, and of a stranger.
  [acquire('A'), wait('B'), keep('A', 1.5), inspect, keep('A', 9.5), renew('A', 9.5), inspect, pass(1)],
  [acquire('A'), wait('B'), keep('A', 1.5), pass(1), acquire('C'), pass(1), acquire('C'), inspect],
  [
    acquire('A', 2),
    acquire('A', 2),
    keep('A', 9.5),
    inspect,
    pass(7),
    inspect,
    acquire('B'),
    pass(5),
    acquire('B'),
  ],
  [acquire('A'), wait('B'), wait('C'), keep('A', 9.5), inspect],
  // It is handed over, and taken over by the first who does.
  [
    acquire('A'),
    wait('B'),
    wait('C'),
    handOver('A', 9.5),
    handOver('A', 9.5),
    inspect,
    takeOver('D', 'A'),
    takeOver('D', 'A'),
    inspect,
    takeOver('C', 'A'),
    handOver('A', 9.5),
    inspect,
    release('D'),
    takeOver('D', 'A'),
    inspect,
  ],
  [acquire('A'), handOver('A', 1.5), takeOver('B', 'C'), pass(2), takeOver('B', 'A'), inspect],
  [acquire('A'), handOver('A', 9.5), release('B', 0, 9.5), takeOver('B', 'A'), takeOver('C', 'A'), inspect],
  [acquire('A'), wait('C'), keep('B', 1.5), keep('C', 1.5), inspect, release('A'), inspect],
  // Counts, tombstones, tokens that are seen elsewhere.
  [acquire('A'), acquire('A', 2), acquire('B', 2), release('A', 1), release('B', 1), inspect, release('A')],
  [
    release('A', 0, 2.25),
    acquire('A'),
    acquire('B'),
    inspect,
    pass(5),
    acquire('A'),
    release('B'),
    acquire('A'),
  ],
  [
    acquire('A'),
    release('A', 0, 2.25),
    acquire('A', 2),
    acquire('A'),
    release('A', 0, 5.25),
    pass(5),
    acquire('A'),
  ],
  [acquire('A', 1, { tokenFloor: firstExactToken }), acquire('A'), release('A'), acquire('B'), inspect],
  [acquire('A'), wait('B'), release('A', 0, 0, firstExactToken), inspect, force('B'), acquire('C'), inspect],
  [acquire('A'), wait('B'), force('A', firstExactToken), inspect],
  [acquire('A'), acquire('A', 2), wait('B'), release('A'), inspect],
  [acquire('A', 1, { tokenFloor: firstExactToken }), wait('B'), release('A'), inspect],
  // Leases and the memory of tokens.
  [
    acquire('A', 1, { leaseMs: 20_000 }),
    renew('A', 6.25),
    pass(2),
    inspect,
    acquire('A'),
    release('A'),
    inspect,
  ],
  [acquire('A'), renew('A', 1.25), pass(2), renew('A', 3.25), inspect],
  // The fourth step is one of a batch.
  [tryShortly('A'), inspect, inspect, renew('A', 6.25), pass(2), inspect],
  [tryShortly('A'), pass(2), renew('A', 6.25), refresh('A'), inspect],
  [tryShortly('A'), pass(5), acquire('A'), release('A'), pass(5), pass(5), acquire('B'), inspect],
  // Places that are kept, and that are not.
  [acquire('A'), wait('B', 1.25), refresh('B', 4.75), pass(2), inspect, release('A'), inspect],
  [
    acquire('A'),
    wait('B', 1.25),
    wait('C'),
    pass(2),
    refresh('B'),
    refresh('C'),
    refresh('D'),
    refresh('A'),
    inspect,
  ],
  [acquire('A'), wait('B', 1.25), pass(5), refresh('B'), wait('C'), inspect, release('A'), inspect],
]
