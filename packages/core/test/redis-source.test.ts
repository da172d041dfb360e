import {
  scratchFolder,
  startRedis,
  uniqueName,
  type RedisServer,
  type ScratchFolder,
} from '@holdfast/testkit'
import type { RedisOptions } from 'ioredis'
import type { RedisOptions as RedisOptions5 } from 'ioredis5'
import type { RedisSource } from '../src/index.js'
import { closeAll, openClient } from './support/clients.js'
import { nextEvent } from './support/next-event.js'

let folder: ScratchFolder
let server: RedisServer
let socket: string

beforeAll(async () => {
  folder = await scratchFolder()
  socket = `${folder.path}/redis.sock`
  server = await startRedis({ args: ['--unixsocket', socket] })
})

afterAll(async () => {
  await server.stop()
  await folder.remove()
})

afterEach(closeAll)

/** Locks, waits and is granted, so that both connections are used; returns the databases of one client's connections. */
async function useLock(redis: RedisSource): Promise<string> {
  const [a, b] = [openClient(redis), openClient(redis)]
  const name = uniqueName('source')
  const held = await a.getLock(name).lock()
  const waiting = nextEvent(b, 'waiting')
  const granted = b.getLock(name).lock()
  await waiting
  const clients = String(await server.call('CLIENT', 'LIST'))
  const ours = clients.split('\n').filter((line) => line.includes(`name=holdfast:${a.clientId}`))
  await held.unlock()
  await (await granted).unlock()
  return ours.map((line) => / db=(\d+)/.exec(line)?.[1]).join()
}

describe('redis may be', () => {
  it('options with host and port, of ioredis 5 and 6', async () => {
    const { host, port } = server
    const of6: RedisOptions = { host, port, db: 2, connectTimeout: 1_000 }
    const of5: RedisOptions5 = { host, port, db: 3 }
    expect(await useLock({ host, port })).toMatch(/^0(,0)*$/)
    expect(await useLock(of6)).toMatch(/^2(,2)*$/)
    expect(await useLock(of5)).toMatch(/^3(,3)*$/)
  })

  it('a URL object', async () => {
    expect(await useLock(new URL(`${server.url}/4`))).toMatch(/^4(,4)*$/)
  })

  it('a Unix socket, as path, as URL and as options', async () => {
    // A server in a container has its socket there.
    if (server.pid === null) return
    expect(await useLock(socket)).toMatch(/^0(,0)*$/)
    expect(await useLock(`unix://${socket}?db=5`)).toMatch(/^5(,5)*$/)
    expect(await useLock({ path: socket, db: 6 })).toMatch(/^6(,6)*$/)
  })

  it('options with a key prefix, which is put before every key', async () => {
    const { host, port } = server
    const name = uniqueName('prefixed')
    await openClient({ host, port, keyPrefix: 'app:' })
      .getLock(name)
      .withLock(async () => {
        expect(await server.call('EXISTS', `app:lock:${name}`)).toBe(1)
      })
  })
})
