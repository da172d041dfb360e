import type { Contender } from '../contender.js'
import type { StoreName } from '../stores.js'
import { etcdByHand } from './etcd-floor.js'
import { handOffByHand, ping, setAndDelete, tokenInList } from './floors.js'
import { holdfast, logged, onEtcd, onMemcached, onMysql, onZooKeeper, unlogged } from './holdfast.js'
import { memcachedByHand } from './memcached-floor.js'
import { getLock } from './mysql-floor.js'
import { advisoryLocks } from './postgres-floor.js'
import { redisSemaphore } from './redis-semaphore.js'
import { redlock5 } from './redlock-5.js'
import { redlockUniversal } from './redlock-universal.js'
import { zooKeeperByHand } from './zookeeper-floor.js'

/** What is compared on each store. Floors first. */
export const contenders: Readonly<Record<StoreName, readonly Contender[]>> = {
  redis: [ping, setAndDelete, handOffByHand, holdfast, redlock5, redlockUniversal, redisSemaphore],
  postgres: [advisoryLocks, unlogged, logged],
  mysql: [getLock, onMysql],
  zookeeper: [zooKeeperByHand, onZooKeeper],
  etcd: [etcdByHand, onEtcd],
  memcached: [memcachedByHand, onMemcached],
}

/** What a worker measures. */
export function contenderOf(library: string): Contender {
  const known = [...Object.values(contenders).flat(), tokenInList]
  const found = known.find((contender) => contender.library === library)
  if (!found)
    throw new Error(
      `unknown contender ${library}; known are: ${known.map((each) => each.library).join('; ')}`,
    )
  return found
}
