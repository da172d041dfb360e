// How a forked process opens a client on Redis. The argument says where it is, and what to connect with.
import { createRequire } from 'node:module'
import { Holdfast } from '@holdfast/core'
import { nodeRedis } from '@holdfast/core/node-redis'

export function open({ driver, reach }, clientOptions) {
  return new Holdfast({ ...clientOptions, redis: templates[driver](reach) })
}

// Loading all of them would take long.
const require = createRequire(import.meta.url)

const templates = {
  'ioredis 5': (reach) => ofIoredis(require('ioredis5'), reach),
  'ioredis 6': (reach) => ofIoredis(require('ioredis'), reach),
  iovalkey: (reach) => ofIoredis(require('iovalkey'), reach),
  'node-redis 5': (reach) => ofNodeRedis(require('redis5'), reach),
  'node-redis 6': (reach) => ofNodeRedis(require('redis'), reach),
}

function ofIoredis({ Cluster, Redis }, { server, nodes, ...options }) {
  const lazyConnect = true
  return nodes
    ? new Cluster(nodes, { ...options, lazyConnect })
    : new Redis({ ...server, ...options, lazyConnect })
}

function ofNodeRedis({ createClient }, { server, nodes, natMap: nodeAddressMap, name, sentinels }) {
  if (server) return nodeRedis(createClient({ socket: server }))
  if (nodes) {
    const rootNodes = nodes.map((socket) => ({ socket }))
    return nodeRedis.cluster(createClient, { rootNodes, nodeAddressMap })
  }
  return nodeRedis.sentinel(createClient, { name, sentinelRootNodes: sentinels, nodeAddressMap })
}
