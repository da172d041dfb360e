import { setTimeout as sleep } from 'node:timers/promises'
import type { Holdfast } from '@holdfast/core'
import { memcached } from '@holdfast/memcached'
import { competingOnMemcached, onMemcached as holdfastOnMemcached, openClient } from '../adapters/holdfast.js'
import { titleOf } from '../contender.js'
import type { Figure, Scenario } from '../scenario.js'
import { onMemcached, type SessionServers } from '../session-servers.js'

/** What the clients that wait for one lock send while they wait. */
export const memcachedPolls: Scenario = {
  name: 'memcached-polls',
  title: 'On memcached: commands per second of 1, 10 and 50 clients that wait for one lock',
  compares: { what: 'commandsPerSecond', lessIsBetter: true },
  onlyByName: true,
  run: ({ isTrial }) =>
    onMemcached(async (servers) => {
      const figures: Figure[] = []
      for (const clients of isTrial ? [2] : [1, 10, 50]) {
        for (const [contender, queue] of [
          [holdfastOnMemcached, true],
          [competingOnMemcached, false],
        ] as const) {
          const commandsPerSecond = await pollsOf(servers, clients, queue, isTrial ? 200 : 5_000)
          figures.push({ of: titleOf(contender), at: { clients }, seen: { commandsPerSecond } })
        }
      }
      return figures
    }),
}

async function pollsOf(
  { url, traffic }: SessionServers,
  count: number,
  queue: boolean,
  forMs: number,
): Promise<number> {
  const open = (): Holdfast => openClient({ engine: memcached({ url, queue }) })
  const holder = open()
  const waiters = Array.from({ length: count }, open)
  const abort = new AbortController()
  try {
    const name = `polled:${count}:${queue}`
    const lease = await holder.getLock(name).lock()
    const waits = waiters.map((waiter) =>
      waiter
        .getLock(name)
        .lock({ signal: abort.signal })
        .catch(() => null),
    )
    // All have asked, and look again by now.
    await sleep(1_000)
    const [before, startedAt] = [await traffic(), performance.now()]
    await sleep(forMs)
    const perSecond =
      ((await traffic()).requests - before.requests) / ((performance.now() - startedAt) / 1_000)
    abort.abort()
    await Promise.all(waits)
    await lease.unlock()
    return perSecond
  } finally {
    await Promise.all([holder, ...waiters].map((client) => client.close()))
  }
}
