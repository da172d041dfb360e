import type { Redis } from 'ioredis'
import ioredis from '../connect/ioredis.cjs'
import { using, type Limits } from './connection.js'

/** The fields of SENTINEL MASTER, from the first Sentinel that replies. Rejects with the failure of the last one if none does. */
export async function askSentinels(template: Redis, limits: Limits): Promise<Map<string, string>> {
  const { sentinels, name = '', sentinelUsername, sentinelPassword, sentinelTLS } = template.options
  const { Redis } = ioredis()
  let failure: unknown
  for (const node of sentinels ?? []) {
    const sentinel = new Redis({
      ...node,
      ...limits,
      // It would take a permission more, and tells nothing about a Sentinel.
      enableReadyCheck: false,
      ...(sentinelUsername && { username: sentinelUsername }),
      ...(sentinelPassword && { password: sentinelPassword }),
      ...(sentinelTLS && { tls: sentinelTLS }),
    })
    try {
      const reply = await using(sentinel, () => sentinel.call('sentinel', 'master', name))
      return fieldsOf(reply)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Names and values take turns. */
function fieldsOf(reply: unknown): Map<string, string> {
  const words = Array.isArray(reply) ? reply.map(String) : []
  return new Map(words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1] ?? ''] as const] : [])))
}
