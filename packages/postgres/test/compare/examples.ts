import { firstExactToken } from '../../../memory/test/compare/observation.js'
import type { Owner, Step } from '../../../memory/test/compare/step.js'

/** As in random sequences: time passes in whole ones of these, and no time to live is a multiple. */
const unitMs = 600_000

const acquire = (owner: Owner, more: Partial<Extract<Step, { kind: 'acquire' }>> = {}): Step => ({
  kind: 'acquire',
  owner,
  count: 1,
  leaseMs: 6.25 * unitMs,
  entryTtlMs: 0,
  grantLeaseMs: 3.25 * unitMs,
  tokenFloor: 0,
  ...more,
})
const wait = (owner: Owner, units: number): Step => acquire(owner, { entryTtlMs: units * unitMs })
const release = (owner: Owner, count = 0, tombstoneUnits = 0): Step => ({
  kind: 'release',
  owner,
  count,
  tombstoneMs: tombstoneUnits * unitMs,
  tokenFloor: 0,
})
const pass = (units: number): Step => ({ kind: 'pass', ms: units * unitMs })
const inspect: Step = { kind: 'inspect', limit: 10 }

/** What random sequences seldom hit upon, and what each of the mistakes shows in. */
export const examples: readonly (readonly Step[])[] = [
  [acquire('A'), acquire('A', { count: 2, leaseMs: 20_000 }), release('A', 1), release('A', 1), release('A')],
  [acquire('A'), { kind: 'renew', owner: 'A', leaseMs: 1.25 * unitMs }],
  [acquire('A', { leaseMs: 1.25 * unitMs }), pass(2), { kind: 'renew', owner: 'A', leaseMs: 3.25 * unitMs }],
  [release('A', 0, 2.25), acquire('A'), pass(5), acquire('A')],
  [acquire('A'), wait('B', 1.25), wait('C', 4.25), pass(2), release('A'), inspect],
  [acquire('A'), wait('B', 4.25), { kind: 'unsubscribe', owner: 'B' }, release('A'), inspect],
  [
    acquire('A'),
    wait('B', 4.25),
    wait('C', 4.25),
    wait('B', 4.25),
    inspect,
    release('A'),
    release('B'),
    inspect,
  ],
  [acquire('A', { leaseMs: 1.25 * unitMs }), wait('B', 4.25), pass(2), acquire('C'), inspect],
  [acquire('A', { tokenFloor: firstExactToken }), release('A'), acquire('B')],
  [acquire('A'), wait('B', 1.25), pass(5), inspect, wait('C', 4.25), inspect],
  [acquire('A'), release('B', 2), release('B'), inspect],
  [acquire('A'), wait('B', 1.25), pass(2), { kind: 'refresh', owner: 'B', entryTtlMs: 2.75 * unitMs }],
  [acquire('A'), wait('B', 4.25), { kind: 'force', owner: 'A', tokenFloor: 0 }, inspect],
]
