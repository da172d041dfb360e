import { setTimeout as sleep } from 'node:timers/promises'
import { etcd } from '@holdfast/etcd'
import { zookeeper } from '@holdfast/zookeeper'
import {
  onEtcd as holdfastOnEtcd,
  onZooKeeper as holdfastOnZooKeeper,
  openClient,
} from '../adapters/holdfast.js'
import { titleOf } from '../contender.js'
import { forEachConcurrently } from '../for-each-concurrently.js'
import type { Figure, Scenario } from '../scenario.js'
import { onEtcd, onZooKeeper, type SessionServers } from '../session-servers.js'

const watchdogTimeoutMs = 9_000
const beatMs = watchdogTimeoutMs / 3

/** What a client with many holds sends to keep them, per third of its session. */
export const sessionUpkeep: Scenario = {
  name: 'session-upkeep',
  title: 'On ZooKeeper and etcd: requests that keep the holds of a client, per third of its session',
  compares: { what: 'requestsPerBeat', lessIsBetter: true },
  onlyByName: true,
  run: async ({ isTrial }) => {
    const locks = isTrial ? 20 : 500
    return [
      await onZooKeeper((servers) =>
        keep(titleOf(holdfastOnZooKeeper), servers, locks, zookeeper({ connect: servers.url, tickMs: 100 })),
      ),
      await onEtcd((servers) =>
        keep(titleOf(holdfastOnEtcd), servers, locks, etcd({ hosts: [servers.url] })),
      ),
    ]
  },
}

async function keep(
  of: string,
  { traffic }: SessionServers,
  locks: number,
  engine: ReturnType<typeof etcd>,
): Promise<Figure> {
  const client = openClient({ engine, watchdogTimeoutMs })
  try {
    const names = Array.from({ length: locks }, (_, n) => `kept:${n}`)
    await forEachConcurrently(names, async (name) => {
      await client.getLock(name).lock()
    })
    await sleep(beatMs)
    const beats = 4
    const before = await traffic()
    await sleep(beats * beatMs)
    const after = await traffic()
    return {
      of,
      at: { locks },
      seen: {
        requestsPerBeat: (after.requests - before.requests) / beats,
        lost: client.stats().lost,
      },
    }
  } finally {
    await client.close()
  }
}
