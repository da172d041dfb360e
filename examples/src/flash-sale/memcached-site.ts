import { Holdfast } from '@holdfast/core'
import { memcached } from '@holdfast/memcached'
import { openRedisSite } from './redis-site.js'
import type { Site, SiteAddress } from './site.js'

/** The stock and the orders in Redis, the locks in memcached. */
export async function openMemcachedSite(address: SiteAddress): Promise<Site> {
  // Everybody wants the one lock: to look more often sells sooner.
  const engine = memcached({ url: address.locksAt, prefix: `${address.namespace}:`, pollMs: [2, 5] })
  return { ...(await openRedisSite(address)), openHoldfast: (label) => new Holdfast({ engine, label }) }
}
