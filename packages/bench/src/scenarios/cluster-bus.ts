import { setTimeout as passMs } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startCluster, until, type RedisCluster } from '@holdfast/testkit'
import { busBytes, busMessages } from '../bus-traffic.js'
import { interleaved, type Seen } from '../rounds.js'
import type { Scenario } from '../scenario.js'

const name = 'cluster-bus'

type Kind = 'PUBLISH' | 'SPUBLISH'

// What a grant looks like, in the lengths that an ordinary lock gives it.
const client = 'V1StGXR8_Z5jdHi6B-myT'
const channel = `holdfast:inbox:${client}`
const notice = `granted ${client}:1024 123456 1700000000000000 30000 order:42`

/** What a notice costs between the nodes of a Cluster: to all of them, or within a shard. */
export const clusterBus: Scenario = {
  name,
  title: 'Traffic between the nodes of a Cluster for one notice: PUBLISH tells all nodes, SPUBLISH one shard',
  compares: { what: 'busBytesPerMessage', lessIsBetter: true },
  floor: 'SPUBLISH',
  async run(plan) {
    const count = plan.isTrial ? 200 : 5_000
    const cluster = await startCluster({ masters: 3, replicas: 1 })
    try {
      const kinds: readonly Kind[] = (await knowsSharded(cluster)) ? ['PUBLISH', 'SPUBLISH'] : ['PUBLISH']
      if (kinds.length === 1) plan.say('left out: SPUBLISH, which this Redis does not have yet')
      const medians = await interleaved(kinds, plan.rounds, (kind) => traffic(cluster, kind, count))
      return [...medians].map(([kind, seen]) => ({
        scenario: name,
        of: kind,
        at: { nodes: cluster.nodes.length },
        seen,
      }))
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
  // The one who listens is at another node, so that what it hears has crossed the bus.
  const subscriber = new Redis((await cluster.replicaOf(channel)).url)
  const publisher = new Redis((await cluster.masterOf(channel)).url)
  try {
    let heard = 0
    subscriber.on(kind === 'PUBLISH' ? 'message' : 'smessage', () => (heard += 1))
    await (kind === 'PUBLISH' ? subscriber.subscribe(channel) : subscriber.ssubscribe(channel))
    await publisher.ping()

    const before = await look(cluster)
    const pipeline = publisher.pipeline()
    for (let sent = 0; sent < count; sent += 1) pipeline.call(kind, channel, notice)
    await pipeline.exec()
    await until(async () => heard === count && (await hasSettled(cluster)), {
      what: 'all nodes to have what was published',
    })
    const after = await look(cluster)

    await passMs(after.atMs - before.atMs)
    const idle = await look(cluster)
    const gossipBytesPerMs = (idle.bytes - after.bytes) / (idle.atMs - after.atMs)
    const bytes = after.bytes - before.bytes - gossipBytesPerMs * (after.atMs - before.atMs)
    const busMessagesPerMessage = (after.messages - before.messages) / count
    // Where nobody can tell the bytes there are none to report.
    return { busMessagesPerMessage, ...(Number.isNaN(bytes) ? {} : { busBytesPerMessage: bytes / count }) }
  } finally {
    subscriber.disconnect()
    publisher.disconnect()
  }
}

async function look(cluster: RedisCluster): Promise<{ atMs: number; bytes: number; messages: number }> {
  const { sent } = await busMessages(cluster)
  return { atMs: performance.now(), bytes: (await busBytes(cluster)) ?? NaN, messages: sent }
}

async function hasSettled(cluster: RedisCluster): Promise<boolean> {
  const { sent, received } = await busMessages(cluster)
  return sent === received
}
