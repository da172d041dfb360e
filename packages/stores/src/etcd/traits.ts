import type { Traits } from '@holdfast/core/engine'

/**
 * What the engine promises. A session lasts whole seconds; the margin is for the clocks of leases, which etcd reads twice a second,
 * never too early.
 */
export const traits: Traits = {
  kinds: ['shared', 'latch'],
  fifo: true,
  handOff: 'grant',
  lease: { of: 'session', stepMs: 1, shortestMs: 400, marginMs: 100 },
  fencing: 'kept',
  survives: 'failover',
  force: 'notified',
  operator: true,
  // A waiter needs the sixth only if others have written between its entering and its watch.
  commandsPerCycle: { uncontended: 2, contended: 6 },
}
