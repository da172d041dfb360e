import {
  failAppends,
  failSnapshots,
  fillMemory,
  startRedis,
  startReplicated,
  uniqueName,
  until,
  type Fault,
  type RedisServer,
} from '@holdfast/testkit'
import { closeAfterTest, closeAll, openProxy, openReadyClient } from './support/clients.js'
import { nextEvent } from './support/next-event.js'

const watchdogTimeoutMs = 6_000

afterEach(closeAll)

/** Needs more replicas than there are. */
async function demandReplicas(server: RedisServer): Promise<Pick<Fault, 'heal'>> {
  await server.call('CONFIG', 'SET', 'min-replicas-to-write', '1')
  return {
    heal: async () => {
      await server.call('CONFIG', 'SET', 'min-replicas-to-write', '0')
    },
  }
}

/** Like a master whose replica was promoted, and that is promoted again. */
async function demote(server: RedisServer): Promise<Pick<Fault, 'heal'>> {
  await server.call('REPLICAOF', server.host, '1')
  return {
    heal: async () => {
      await server.call('REPLICAOF', 'NO', 'ONE')
    },
  }
}

it.each<[code: string, fault: (server: RedisServer) => Promise<Pick<Fault, 'heal'>>, advice: RegExp]>([
  ['READONLY', demote, /READONLY/],
  ['OOM', fillMemory, /reached its maxmemory/],
  ['MISCONF', failSnapshots, /cannot save its data.*free its disk/],
  ['MISCONF', failAppends, /cannot save its data.*free its disk/],
  ['NOREPLICAS', demandReplicas, /NOREPLICAS/],
])('a wait without limit outlasts a server that replies %s', async (code, fault, advice) => {
  const server = await startRedis()
  closeAfterTest(() => server.stop())
  const holdfast = await openReadyClient(server.url, { watchdogTimeoutMs })
  const { heal } = await fault(server)
  const reported = nextEvent(holdfast, 'error')
  const waiting = holdfast.getLock(uniqueName('refused')).withLock(() => 'in')
  waiting.catch(() => undefined)
  const error: unknown = await Promise.race([reported, waiting])
  expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(advice) as string })
  expect(String(error)).toContain(code)
  await heal()
  await expect(waiting).resolves.toBe('in')
})

it('a client leaves a master that was demoted, and keeps what it holds', async () => {
  const servers = await startReplicated({ replicas: 1 })
  closeAfterTest(() => servers.stop())
  const [replica] = servers.replicas
  if (!replica) throw new Error('there is no replica')
  // An address that leads to another server from now on, while connections stay where they are.
  const address = { host: servers.master.host, port: servers.master.port }
  const proxy = await openProxy(address)
  const holdfast = await openReadyClient(proxy.url, { watchdogTimeoutMs })
  const lost: unknown[] = []
  holdfast.on('lost', (event) => lost.push(event))
  const held = await holdfast.getLock(uniqueName('demoted')).lock()
  await until(async () => (await replica.call('EXISTS', `lock:${held.name}`)) === 1)
  address.port = replica.port
  await servers.promote(replica)
  await Promise.race([nextEvent(holdfast, 'renewed'), nextEvent(holdfast, 'lost')])
  expect(lost).toEqual([])
  await expect(holdfast.getLock(uniqueName('demoted')).withLock(() => 'in')).resolves.toBe('in')
  await held.unlock()
})
