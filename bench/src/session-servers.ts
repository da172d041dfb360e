import { Holdfast } from '@holdfast/core'
import { memcached } from '@holdfast/memcached'
import { startEtcd, startMemcached, startZooKeeper } from '@holdfast/testkit'
import type { Seen } from './scenario.js'
import type { Servers } from './servers.js'
import type { Pace } from './tasks/cycles.js'

/** How much a server has received and sent since it started. */
interface Traffic {
  readonly requests: number
  /** That a node or key which was watched is gone. */
  readonly events: number
}

/** One server with sessions, which all contenders share. */
export interface SessionServers extends Pick<Servers, 'urlOf' | 'sentPerCycle'> {
  readonly url: string
  /** What the server gets and sends per cycle while `run` runs, also what clients send once per period. */
  readonly perCycle: (run: () => Promise<Pick<Pace, 'cycles'>>) => Promise<Seen>
  readonly traffic: () => Promise<Traffic>
}

/** Runs the callback with a new ZooKeeper. */
export async function onZooKeeper<T>(use: (servers: SessionServers) => Promise<T>): Promise<T> {
  await using server = await startZooKeeper()
  let asked = 0
  return await use(
    serversAt(server.connect, async () => {
      const report = await server.ask('mntr')
      asked += 1
      const valueOf = (name: string): number =>
        Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(report)?.[1] ?? 0)
      // The server counts these questions, too.
      const requests = valueOf('zk_packets_received') - asked
      return { requests, events: valueOf('zk_sum_node_deleted_watch_count') }
    }),
  )
}

/** Runs the callback with a new etcd. */
export async function onEtcd<T>(use: (servers: SessionServers) => Promise<T>): Promise<T> {
  await using server = await startEtcd()
  return await use(
    serversAt(server.url, async () => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      const countOf = (way: string, method: string): number =>
        [
          ...metrics.matchAll(
            new RegExp(`^grpc_server_msg_${way}_total\\{grpc_method="${method}".*\\} (\\d+)$`, 'gm'),
          ),
        ].reduce((sum, [, count]) => sum + Number(count), 0)
      // To each message of a watch, which makes or cancels one, there is a reply besides the events.
      const events = countOf('sent', 'Watch') - countOf('received', 'Watch')
      return { requests: countOf('received', '\\w+'), events }
    }),
  )
}

/** Runs the callback with a new memcached, which has neither sessions nor events. */
export async function onMemcached<T>(use: (servers: SessionServers) => Promise<T>): Promise<T> {
  await using server = await startMemcached()
  // A new server grants no locks during the grace period.
  const client = new Holdfast({ engine: memcached({ url: server.url, graceMs: 3_000 }) })
  await client.getLock('first').withLock(() => undefined)
  await client.close()
  return await use(serversAt(server.url, async () => ({ requests: await server.commands(), events: 0 })))
}

function serversAt(url: string, traffic: () => Promise<Traffic>): SessionServers {
  const perCycle: SessionServers['perCycle'] = async (run) => {
    const before = await traffic()
    const { cycles } = await run()
    const after = await traffic()
    return {
      requestsPerCycle: (after.requests - before.requests) / cycles,
      eventsPerCycle: (after.events - before.events) / cycles,
    }
  }
  return {
    url,
    traffic,
    perCycle,
    urlOf: () => url,
    sentPerCycle: async (_, run) => (await perCycle(run))['requestsPerCycle'] ?? 0,
  }
}
