import { setTimeout as passMs } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startCluster, until, type RedisCluster } from '@holdfast/testkit'
import { busBytes, busMessages } from '../bus-traffic.js'
import { compare } from '../compare.js'
import type { Scenario, Seen } from '../scenario.js'

type Kind = 'PUBLISH' | 'SPUBLISH'

// A typical grant notification, with realistic lengths.
const client = 'V1StGXR8_Z5jdHi6B-myT'
const channel = `holdfast:inbox:${client}`
const notification = `granted ${client}:1024 123456 1700000000000000 30000 order:42`

/** What a notification costs between the nodes of a Cluster: sent to all of them, or within a shard. */
export const clusterBus: Scenario = {
  name: 'cluster-bus',
  title:
    'Traffic between the nodes of a Cluster for one notification: PUBLISH reaches all nodes, SPUBLISH one shard',
  compares: { what: 'busBytesPerMessage', lessIsBetter: true },
  floor: 'SPUBLISH',
  async run(plan) {
    const count = plan.isTrial ? 200 : 5_000
    const cluster = await startCluster({ masters: 3, replicas: 1 })
    try {
      const kinds: readonly Kind[] = (await knowsSharded(cluster)) ? ['PUBLISH', 'SPUBLISH'] : ['PUBLISH']
      if (kinds.length === 1) plan.say('left out: SPUBLISH, which this version of Redis lacks')
      const at = { nodes: cluster.nodes.length }
      const subjects = kinds.map((of) => ({ of, at, measure: () => traffic(cluster, of, count) }))
      return await compare(plan.rounds, subjects)
    } finally {
      await cluster.stop()
    }
  },
}

async function knowsSharded({ nodes }: RedisCluster): Promise<boolean> {
  const known = await nodes[0]?.call('COMMAND', 'INFO', 'SPUBLISH')
  return Array.isArray(known) && known[0] !== null
}

async function traffic(cluster: RedisCluster, kind: Kind, count: number): Promise<Seen> {
  // The subscriber is connected to another node, so that messages to it cross the bus.
  const subscriber = new Redis((await cluster.replicaOf(channel)).url)
  const publisher = new Redis((await cluster.masterOf(channel)).url)
  try {
    let received = 0
    subscriber.on(kind === 'PUBLISH' ? 'message' : 'smessage', () => (received += 1))
    await (kind === 'PUBLISH' ? subscriber.subscribe(channel) : subscriber.ssubscribe(channel))
    await publisher.ping()

    const before = await readTraffic(cluster)
    const pipeline = publisher.pipeline()
    for (let sent = 0; sent < count; sent += 1) pipeline.call(kind, channel, notification)
    await pipeline.exec()
    await until(async () => received === count && (await hasSettled(cluster)), {
      what: 'all messages to arrive at all nodes',
    })
    const after = await readTraffic(cluster)

    await passMs(after.atMs - before.atMs)
    const idle = await readTraffic(cluster)
    const gossipBytesPerMs = (idle.bytes - after.bytes) / (idle.atMs - after.atMs)
    const bytes = after.bytes - before.bytes - gossipBytesPerMs * (after.atMs - before.atMs)
    const busMessagesPerMessage = (after.messages - before.messages) / count
    // Where the system does not report bytes, leave them out.
    return { busMessagesPerMessage, ...(Number.isNaN(bytes) ? {} : { busBytesPerMessage: bytes / count }) }
  } finally {
    subscriber.disconnect()
    publisher.disconnect()
  }
}

async function readTraffic(
  cluster: RedisCluster,
): Promise<{ atMs: number; bytes: number; messages: number }> {
  const { sent } = await busMessages(cluster)
  return { atMs: performance.now(), bytes: (await busBytes(cluster)) ?? NaN, messages: sent }
}

async function hasSettled(cluster: RedisCluster): Promise<boolean> {
  const { sent, received } = await busMessages(cluster)
  return sent === received
}
