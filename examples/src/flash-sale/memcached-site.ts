import { Holdfast } from '@holdfast/core'
import { memcached } from '@holdfast/memcached'
import { openRedisSite } from './redis-site.js'
import type { Site, SiteAddress } from './site.js'

/** The stock and the orders in Redis, the locks in memcached. */
export async function openMemcachedSite(address: SiteAddress): Promise<Site> {
  // Everybody wants the one lock: to look more often sells sooner.
  const prefix = `${address.namespace}:`
  // Each sale has its own prefix, so no earlier holder can be left that the first lock would have to wait for.
  const engine = memcached({ url: address.locksAt, prefix, pollMs: [2, 5], graceMs: 2_000 })
  return { ...(await openRedisSite(address)), openHoldfast: (label) => new Holdfast({ engine, label }) }
}
