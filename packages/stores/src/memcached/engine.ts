import type { LockEngine } from '@holdfast/core/engine'
import { documentEngine } from '../documents/index.js'
import { resolveOptions, type MemcachedOptions } from './options.js'
import { memcachedStore } from './store.js'

/**
 * Locks, read/write locks, semaphores and latches in one memcached (1.6 or later, started with `-M`), for `new Holdfast({ engine })`. Clients that
 * use the same prefix of the same server share them. Each client opens one connection, at first use. A restart and `flush_all` lose all locks: then
 * every holder is notified of its loss, and nobody gets in before `graceMs` is over.
 *
 * @throws `InvalidArgumentError` for options that are unknown, missing or invalid. First use rejects with `RefusedError` for a server that cannot
 * keep locks: one that evicts, one without CAS (`-C`), a proxy, an older version
 */
export function memcached(options: MemcachedOptions): LockEngine {
  const settings = resolveOptions(options)
  return documentEngine(memcachedStore(settings), { queue: settings.queue })
}
