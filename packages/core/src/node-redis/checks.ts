import { checkObject, InvalidArgumentError, kindOf } from '../engine/index.js'
import type { CreateClient, NodeRedisClient } from './link/given-client.js'
import type { NodeRedisClusterOptions } from './cluster/options.js'
import type { NodeRedisSentinelOptions } from './sentinel/options.js'

/** Refuses what is no client of `createClient`. */
export function checkClient(client: NodeRedisClient): void {
  const kind = kindOf(client)
  if (kind === 'a client of the package redis') return
  throw new InvalidArgumentError(
    `nodeRedis takes a client of the package redis, as in nodeRedis(createClient({ url })), got ${kind}${instead[kind] ?? ''}`,
  )
}

/** What to do about other clients. */
const instead: Readonly<Record<string, string>> = {
  'a cluster of the package redis': '; use nodeRedis.cluster(createClient, { rootNodes })',
  'a Sentinel client of the package redis':
    '; use nodeRedis.sentinel(createClient, { name, sentinelRootNodes })',
  'a pool of the package redis': '; pass a client that the pool would be made of',
  'an ioredis client': '; pass it as redis itself',
}

export function checkSentinel(createClient: CreateClient, options: NodeRedisSentinelOptions): void {
  const call = 'nodeRedis.sentinel(createClient, { name, sentinelRootNodes })'
  checkFunction(createClient, call)
  checkObject(options, `; call it as ${call}`)
  const { name, sentinelRootNodes }: { readonly name: unknown; readonly sentinelRootNodes: unknown } = options
  if (typeof name !== 'string' || name === '') {
    throw new InvalidArgumentError(
      `name must be the name that the Sentinels have for the master, such as 'mymaster', got ${kindOf(name)}`,
    )
  }
  checkList('sentinelRootNodes', '{ host, port }', sentinelRootNodes, (node) =>
    [Reflect.get(node, 'host'), Reflect.get(node, 'port')].every((part) => part !== undefined),
  )
}

export function checkCluster(createClient: CreateClient, options: NodeRedisClusterOptions): void {
  const call = 'nodeRedis.cluster(createClient, { rootNodes: [{ url }] })'
  checkFunction(createClient, call)
  checkObject(options, `; call it as ${call}`)
  checkList(
    'rootNodes',
    '{ url } or { socket: { host, port } }',
    options.rootNodes,
    (node) => 'url' in node || 'socket' in node,
  )
}

function checkFunction(createClient: unknown, call: string): void {
  if (typeof createClient === 'function') return
  throw new InvalidArgumentError(
    `createClient must be that of the package redis, as in ${call}, got ${kindOf(createClient)}`,
  )
}

function checkList(option: string, form: string, given: unknown, isNode: (node: object) => boolean): void {
  if (!Array.isArray(given) || given.length === 0) {
    const got = Array.isArray(given) ? 'an empty array' : kindOf(given)
    throw new InvalidArgumentError(
      `${option} must be an array of ${form} with at least one of them, got ${got}`,
    )
  }
  // Unlike `forEach`, this does not skip the holes of an array.
  Array.from(given, (node: unknown, i) => {
    if (typeof node === 'object' && node !== null && isNode(node)) return
    throw new InvalidArgumentError(`${option}[${i}] must be ${form}, got ${kindOf(node)}`)
  })
}
