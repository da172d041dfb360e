import { titleOf, type Contender } from '../contender.js'
import { etcd3Lock } from './etcd3.js'
import { etcdByHand } from './etcd-floor.js'
import { handOffByHand, ping, setAndDelete, tokenInList } from './floors.js'
import {
  competingOnMemcached,
  holdfast,
  inClients,
  lock,
  logged,
  observedHoldfast,
  onEtcd,
  onMemcached,
  onMysql,
  onRedis,
  onZooKeeper,
  quickHoldfast,
  readLock,
  semaphoreOf,
  unlogged,
  writeLock,
} from './holdfast.js'
import { getLock, lockTable } from './mysql-floors.js'
import { nodeRedisson } from './node-redisson.js'
import { memcachedByHand } from './memcached-floor.js'
import { nodeZooKeeperClient } from './node-zookeeper-client.js'
import { advisoryLocks, rowLocks } from './postgres-floors.js'
import { redisClients } from './redis-clients.js'
import { redisSemaphore, redisSemaphoreOf } from './redis-semaphore.js'
import { redlock4 } from './redlock-4.js'
import { redlock5 } from './redlock-5.js'
import { redlockUniversal } from './redlock-universal.js'
import { sesamecareRedlock } from './sesamecare-redlock.js'
import { verrou, verrouOnPostgres } from './verrou.js'
import { zooKeeperByHand } from './zookeeper-floor.js'

/** Everything that `--with` can name. Floors first. */
export const contenders: readonly Contender[] = [
  ping,
  setAndDelete,
  handOffByHand,
  holdfast,
  ...[redlock4, redlock5, sesamecareRedlock, redlockUniversal, redisSemaphore, verrou, nodeRedisson].flat(),
]

/** What is compared before the compiler is warm. The floor first. */
export const hotKeyContenders: readonly Contender[] = [tokenInList, handOffByHand, holdfast]

/** What is compared on PostgreSQL. The floor first. */
export const postgresContenders: readonly Contender[] = [
  advisoryLocks,
  onRedis,
  unlogged,
  logged,
  rowLocks,
  verrouOnPostgres,
]

/** So many clients that wait for one lock show whether a release wakes more than one of them. */
const herd = 20

/** What is compared on ZooKeeper. The floor first. */
export const zooKeeperContenders: readonly Contender[] = [zooKeeperByHand, onZooKeeper, nodeZooKeeperClient]

/** What is compared on etcd. The floor first. */
export const etcdContenders: readonly Contender[] = [etcdByHand, onEtcd, etcd3Lock]

/** What is compared on memcached. The floor first. */
export const memcachedContenders: readonly Contender[] = [memcachedByHand, onMemcached, competingOnMemcached]
/** What is compared on MySQL. The floor first. */
export const mysqlContenders: readonly Contender[] = [getLock, onMysql, lockTable]

export const herds = {
  zooKeeper: inClients(onZooKeeper, herd),
  etcd: inClients(onEtcd, herd),
  memcached: inClients(onMemcached, herd),
} as const

/** The sizes of the semaphores that are compared. */
export const semaphores: readonly Contender[] = [1, 10, 100].flatMap((permits) => [
  semaphoreOf(permits),
  redisSemaphoreOf(permits),
])

/** What a worker measures. */
export function contenderOf(title: string): Contender {
  const special = [...redisClients, observedHoldfast, quickHoldfast, lock, readLock, writeLock]
  const known = [
    ...contenders,
    ...hotKeyContenders,
    ...postgresContenders,
    ...zooKeeperContenders,
    ...etcdContenders,
    ...memcachedContenders,
    ...mysqlContenders,
    ...Object.values(herds),
    ...semaphores,
    ...special,
  ]
  const found = known.find((contender) => titleOf(contender) === title)
  if (!found) throw new Error(`unknown contender ${title}; known are: ${known.map(titleOf).join('; ')}`)
  return found
}
