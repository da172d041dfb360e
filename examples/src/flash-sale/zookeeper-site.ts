import { Holdfast } from '@holdfast/core'
import { zookeeper } from '@holdfast/zookeeper'
import { openRedisSite } from './redis-site.js'
import type { Site, SiteAddress } from './site.js'

/** The stock and the orders in Redis, the locks in ZooKeeper. */
export async function openZooKeeperSite(address: SiteAddress): Promise<Site> {
  const engine = zookeeper({ connect: address.locksAt })
  return { ...(await openRedisSite(address)), openHoldfast: (label) => new Holdfast({ engine, label }) }
}
