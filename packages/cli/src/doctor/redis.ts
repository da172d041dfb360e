import { randomUUID } from 'node:crypto'
import type { Cluster, Redis } from 'ioredis'
import ioredis from '../connect/ioredis.cjs'
import type { Store } from '../connect/store.js'
import { messageOf } from '../exit-codes.js'
import { escapeSentence, escapeText } from '../output/escape.js'
import { checkCluster, checkSentinels } from './failover.js'
import { unknown, type Finding } from './finding.js'
import { limitsOf, using, type Limits } from './connection.js'
import { checkPermissions, type Call } from './permissions.js'
import { readInfo } from './redis-info.js'
import { checkServer } from './redis-server.js'
import { askSentinels } from './sentinels.js'

type RedisStore = Extract<Store, { kind: 'redis' }>

/** Looks at Redis itself, on connections of its own. */
export const checkRedis = (store: RedisStore, watchdogMs: number): Promise<Finding[]> =>
  tryTo('server', () => examine(store, watchdogMs))

async function examine(store: RedisStore, watchdogMs: number): Promise<Finding[]> {
  const { template, timeoutMs } = store
  const options = limitsOf(timeoutMs)
  if (template instanceof ioredis().Cluster) {
    const cluster = template.duplicate([], {
      lazyConnect: true,
      keyPrefix: '',
      redisOptions: { ...loginOf(template), ...options },
    })
    return using(cluster, async () => {
      await cluster.connect()
      const masters = cluster.nodes('master')
      const findings = await Promise.all(masters.map((master) => checkMaster(master)))
      const named = findings.flatMap((each, i) =>
        each.map((finding) => ({ ...finding, check: `${finding.check} of ${addressOf(masters[i])}` })),
      )
      const [first] = masters
      if (!first) return named
      return [...named, ...(await checkClusterOf(first, watchdogMs)), ...(await permissionsOf(first, store))]
    })
  }
  const redis = template.duplicate(options)
  return using(redis, async () => {
    await redis.connect()
    return [
      ...(await checkMaster(redis)),
      ...(await checkSentinelsOf(template, options, watchdogMs)),
      ...(await permissionsOf(redis, store)),
    ]
  })
}

/** As the command line gave it. */
function loginOf({ options: { redisOptions } }: Cluster): {
  username?: string
  password?: string
  tls?: object
} {
  const { username, password, tls } = redisOptions ?? {}
  return { ...(username && { username }), ...(password && { password }), ...(tls && { tls }) }
}

const addressOf = (node: Redis | undefined): string =>
  `${escapeText(node?.options.host ?? '?')}:${node?.options.port ?? '?'}`

/** What this user may not read stays unknown, and the other checks go on. */
async function tryTo(check: string, read: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await read()
  } catch (error) {
    return [unknown(check, escapeSentence(messageOf(error)))]
  }
}

const checkMaster = (redis: Redis): Promise<Finding[]> =>
  tryTo('server', async () => checkServer(readInfo(await redis.info())))

function checkClusterOf(node: Redis, watchdogMs: number): Promise<Finding[]> {
  return tryTo('cluster', async () => {
    const info = readInfo(String(await node.call('cluster', 'info')))
    const config = await node.call('config', 'get', 'cluster-node-timeout').catch(() => null)
    const timeout: unknown = Array.isArray(config) ? config[1] : null
    return checkCluster(info, typeof timeout === 'string' ? timeout : null, watchdogMs)
  })
}

function checkSentinelsOf(template: Redis, limits: Limits, watchdogMs: number): Promise<Finding[]> {
  if (!template.options.sentinels) return Promise.resolve([])
  return tryTo('sentinels', async () => checkSentinels(await askSentinels(template, limits), watchdogMs))
}

function permissionsOf(redis: Redis, { prefix = 'lock:', keyPrefix }: RedisStore): Promise<Finding[]> {
  const id = `holdfast-doctor-${randomUUID()}`
  const lock = `${keyPrefix}${prefix}${id}`
  const names = {
    lock,
    queue: lock.includes('{') ? `${lock}:fifo` : `{${lock}}:fifo`,
    registry: `${keyPrefix}holdfast:client:${id}`,
    channel: `holdfast:inbox:${id}`,
  }
  const call: Call = async ([command = '', ...args]) => {
    if (command !== 'subscribe') return redis.call(command, ...args)
    const subscriber = redis.duplicate()
    return using(subscriber, () => subscriber.subscribe(...args))
  }
  return tryTo('permissions', () => checkPermissions(call, names))
}
