import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { RedisCluster } from '@holdfast/testkit'

const run = promisify(execFile)

/** The bus of a Redis Cluster uses the node's port plus this. */
const busPortOffset = 10_000

/**
 * The bytes that the nodes have sent each other on the bus connections open now. `undefined` where the system does not
 * report them (this needs Linux with iproute2).
 */
export async function busBytes({ nodes }: RedisCluster): Promise<number | undefined> {
  const ports = nodes.map(({ port }) => port + busPortOffset)
  const filter = ports.map((port) => `sport = :${port} or dport = :${port}`).join(' or ')
  let text: string
  try {
    text = (await run('ss', ['--tcp', '--info', '--numeric', '--no-header', `( ${filter} )`])).stdout
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  // Both ends of a connection are on loopback, and each reports what it sent.
  return [...text.matchAll(/\bbytes_sent:(\d+)/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0)
}

/** How many messages with published content the nodes have sent each other, and how many they have received. */
export async function busMessages({ nodes }: RedisCluster): Promise<{ sent: number; received: number }> {
  const infos = await Promise.all(nodes.map((node) => node.call('CLUSTER', 'INFO')))
  const text = infos.map(String).join('\n')
  return { sent: sumOf(text, 'sent'), received: sumOf(text, 'received') }
}

const sumOf = (text: string, what: 'sent' | 'received'): number =>
  [...text.matchAll(new RegExp(`^cluster_stats_messages_publish(?:shard)?_${what}:(\\d+)`, 'gm'))].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )
