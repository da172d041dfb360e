import { readFile } from 'node:fs/promises'
import { startCluster, startRedis, withRedis, type RedisServer } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { mediansOf } from '../compare.js'
import type { Seen } from '../scenario.js'
import { idleShareOf, meter, redisCpuUs } from './meter.js'

/** As long as a real channel name. */
const channel = `holdfast:inbox:${'x'.repeat(21)}`
const message = `granted ${'x'.repeat(21)}:123456 ${'9'.repeat(16)} ${'9'.repeat(16)} 30000 lock:order:123456`
const idleMs = 500
const rounds = 5
const masters = 3
const others = masters - 1

/** What a notification costs the nodes of a Cluster, beyond a single server. NaN for the bytes where /proc lacks them. */
export async function measureBus(count: number) {
  const alone = await startRedis()
  try {
    const cluster = await startCluster({ masters, nodeTimeoutMs: 15_000 })
    try {
      return await measureAt(alone, cluster.nodes, count)
    } finally {
      await cluster.stop()
    }
  } finally {
    await alone.stop()
  }
}

function measureAt(alone: RedisServer, nodes: readonly RedisServer[], count: number) {
  const [sender, receiver] = nodes
  if (!sender || !receiver) throw new Error('the cluster has fewer than two nodes')
  return withRedis(alone.url, (single) =>
    withRedis(sender.url, (from) =>
      withRedis(receiver.url, async (to) => {
        const [idleAlone, idleFrom, idleTo] = await Promise.all(
          [single, from, to].map((redis) => idleShareOf(redis, idleMs)),
        )
        const seen: Seen[] = []
        // Alternating, so that a slow moment of the machine affects both.
        for (let round = 0; round < rounds; round += 1) {
          const plain = await meter(single, idleAlone ?? 0, () => publish(single, count))
          const receiverBefore = await redisCpuUs(to)
          const bytesBefore = await writtenBytes(sender)
          const sent = await meter(from, idleFrom ?? 0, () => publish(from, count))
          const receivedUs = (await redisCpuUs(to)) - receiverBefore - (idleTo ?? 0) * sent.wallUs
          seen.push({
            redisBusSendUs: (sent.redisUs - plain.redisUs) / count / others,
            redisBusReceiveUs: receivedUs / count,
            busBytes: ((await writtenBytes(sender)) - bytesBefore) / count / others,
          })
        }
        const { redisBusSendUs = NaN, redisBusReceiveUs = NaN, busBytes = NaN } = mediansOf(seen)
        return { redisBusSendUs: Math.max(0, redisBusSendUs), redisBusReceiveUs, busBytes }
      }),
    ),
  )
}

async function publish(redis: Redis, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await redis.publish(channel, message)
}

async function writtenBytes({ pid }: RedisServer): Promise<number> {
  if (pid === null) return NaN
  try {
    return Number(/^wchar: (\d+)/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1])
  } catch {
    return NaN
  }
}
