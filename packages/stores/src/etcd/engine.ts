import type { LockEngine } from '@holdfast/core/engine'
import { sessionQueue } from '../sessions/index.js'
import { engineName } from './errors.js'
import { resolveOptions, type EtcdOptions } from './options.js'
import { EtcdStore } from './store.js'
import { traits } from './traits.js'

/**
 * Locks, read/write locks, semaphores and latches in etcd (3.4 or later), for `new Holdfast({ engine })`. Clients that use the same prefix of the same
 * cluster share them. Each client opens one connection, at first use.
 *
 * @throws `InvalidArgumentError` for options that are unknown, missing or invalid
 */
export function etcd(options: EtcdOptions): LockEngine {
  const settings = resolveOptions(options)
  return sessionQueue({
    name: engineName,
    traits,
    open: (host, events) => new EtcdStore(settings, host, events),
  })
}
