import { uniqueName, type FaultProxy } from '@holdfast/testkit'
import { UnavailableError, type Holdfast } from '../src/index.js'
import { scripts } from '../src/redis/scripts/generated.js'
import { closeAll, openProxy, openReadyClient } from './support/clients.js'
import { openSession } from './support/open-session.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let proxy: FaultProxy

beforeEach(async () => {
  await server.call('FLUSHALL')
  proxy = await openProxy(server)
})
afterEach(closeAll)

/** Has a client hold that many locks; returns their names. */
async function holdMany(holdfast: Holdfast, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, () => uniqueName(`held-${'x'.repeat(200)}`))
  await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
  return names.sort()
}

const runs =
  (command: string) =>
  (request: string): boolean =>
    request.toLowerCase().startsWith(command)

describe.each(['dbsize', 'scan'])('when the reply to %s is lost', (command) => {
  it('the iteration rejects, and the next one lists every lock once', async () => {
    const names = await holdMany(await openReadyClient(server.url), 30)
    const holdfast = await openReadyClient(proxy.url)
    const list = async (): Promise<string[]> => {
      const found: string[] = []
      for await (const { name } of holdfast.locks()) found.push(name)
      return found.sort()
    }
    const lost = proxy.loseReply(runs(command))
    const [outcome] = await Promise.all([list().catch((error: unknown) => error), lost])
    expect(outcome).toBeInstanceOf(UnavailableError)
    expect(await list()).toEqual(names)
  })

  it('the step can be repeated: run twice it finds the same', async () => {
    const names = await holdMany(await openReadyClient(server.url), 30)
    const { operator } = openSession('c1', { redis: proxy.url })
    const everything = { pattern: '*', contended: false }
    const lost = proxy.loseReply(runs(command))
    await Promise.all([expect(operator.list(null, everything)).rejects.toThrow(UnavailableError), lost])
    const { found, next } = await operator.list(null, everything)
    expect(found.map(({ address }) => address.name).sort()).toEqual(names)
    expect(next).toBeNull()
  })
})

describe('a report', () => {
  const isReport = (request: string): boolean =>
    request.includes(scripts.clientTell.sha1) && request.includes('report {')

  it('arrives although the reply to its sending is lost', async () => {
    const holder = await openReadyClient(proxy.url)
    await holdMany(holder, 5)
    const asker = await openReadyClient(server.url)
    const lost = proxy.loseReply(isReport)
    const [[report]] = await Promise.all([
      asker.clientReports({ clientIds: [holder.clientId], withinMs: 20_000 }),
      lost,
    ])
    expect(report?.holdCount).toBe(5)
  })

  it('is missing if it does not arrive, and the reports of other clients are there', async () => {
    const [holder, other, asker] = [
      await openReadyClient(proxy.url, { commandTimeoutMs: 1_000 }),
      await openReadyClient(server.url),
      await openReadyClient(server.url),
    ]
    await holdMany(holder, 5)
    proxy.blackHole('toServer')
    const clientIds = [holder.clientId, other.clientId]
    const reports = await asker.clientReports({ clientIds, withinMs: 3_000 })
    expect(reports.map(({ clientId }) => clientId)).toEqual([other.clientId])
    proxy.heal()
  })
})
