import { until } from '@holdfast/testkit/process'
import { HoldfastQuorum } from '@holdfast/core'
import type { ChaosClient } from './open-clients.js'
import { isRedis } from './redis-template.js'
import type { Template } from './template.js'

/**
 * Has clients of engines connect: that takes them a good part of a schedule, in which nothing would be held. Those of Redis
 * connect at once, and do so in the schedule.
 */
export async function warmUp(clients: readonly ChaosClient[], templates: readonly Template[]): Promise<void> {
  if (templates.every(isRedis)) return
  await Promise.all(
    clients.map(async (client) => {
      if (client instanceof HoldfastQuorum) return
      const lock = client.getLock(`warm-up of ${client.clientId}`)
      await until(() => lock.withLock(() => true), { what: 'a client to connect' })
    }),
  )
}
