import { Holdfast } from '@holdfast/core'
import { etcd } from '@holdfast/etcd'
import { openRedisSite } from './redis-site.js'
import type { Site, SiteAddress } from './site.js'

/** The stock and the orders in Redis, the locks in etcd. */
export async function openEtcdSite(address: SiteAddress): Promise<Site> {
  const engine = etcd({ hosts: [address.locksAt], prefix: `${address.namespace}/` })
  return { ...(await openRedisSite(address)), openHoldfast: (label) => new Holdfast({ engine, label }) }
}
