import type { LockEngine, Traits } from '@holdfast/core/engine'
import { sessionQueue } from '../sessions/index.js'
import { engineName } from './client/errors.js'
import { fewestTicks, resolveOptions, type ZooKeeperOptions } from './options.js'
import { ZooKeeperStore } from './store.js'

const traitsOf = (tickMs: number): Traits => ({
  fifo: true,
  handOff: 'grant',
  lease: { of: 'session', stepMs: 1, shortestMs: fewestTicks * tickMs, marginMs: tickMs },
  fencing: 'kept',
  survives: 'failover',
  force: 'notified',
  operator: true,
  commandsPerCycle: { uncontended: 3, contended: 5 },
  kinds: ['shared', 'latch'],
})

/**
 * Locks, read/write locks, semaphores and latches in a ZooKeeper ensemble (3.5 or later), for `new Holdfast({ engine })`. Clients that
 * name the same ensemble and path share them. Each client opens one connection, at first use, and has a session: a hold ends with its
 * client's session, whatever lease it has.
 *
 * @throws `InvalidArgumentError` for options that are unknown, missing or invalid
 */
export function zookeeper(options: ZooKeeperOptions): LockEngine {
  const settings = resolveOptions(options)
  return sessionQueue({
    name: engineName,
    traits: traitsOf(settings.tickMs),
    open: (host, events) => new ZooKeeperStore(settings, host, events),
  })
}
