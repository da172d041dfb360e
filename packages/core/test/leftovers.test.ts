import {
  forkWorker,
  keysWithoutTtl,
  leftoverKeys,
  startProxy,
  until,
  uniqueName,
  watchResources,
} from '@holdfast/testkit'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { ClosedError, Holdfast, LockLostError } from '../src/index.js'
import { closeAfterTest, closeAll, openHoldfast, openRedisClient } from './support/clients.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let name: string

beforeEach(() => {
  redis = openRedisClient(server.url)
  name = uniqueName('leftovers')
})
afterEach(closeAll)

const workerFile = (file: string) => join(__dirname, 'workers', file)

describe('keys', () => {
  const tag = 'mixed'
  const options = { watchdogTimeoutMs: 3_000, commandTimeoutMs: 1_500 }

  /** Looks over and over until told to stop, or the test ends; answers with every key it ever saw without an end. */
  function sampleEndlessKeys(): () => Promise<string[]> {
    const endless = new Set<string>()
    let isOver = false
    const look = async (): Promise<boolean> => {
      for (const key of await keysWithoutTtl(server.url, '*')) endless.add(key)
      return isOver
    }
    const sampling = until(look, { timeoutMs: 60_000, everyMs: 20 })
    const stop = async (): Promise<string[]> => {
      isOver = true
      await sampling
      return [...endless]
    }
    closeAfterTest(stop)
    return stop
  }

  /** Every way that an acquisition or a hold can end, on a few locks at once. */
  async function mixedRun(): Promise<void> {
    const proxy = await startProxy(server)
    closeAfterTest(() => proxy.close())
    const a = openHoldfast(server.url, options).holdfast
    const b = openHoldfast(proxy.url, options).holdfast
    const nested = async (client: Holdfast, lockName: string) => {
      const lock = client.getLock(lockName)
      await lock.withLock(() => lock.withLock({ leaseMs: 200 }, () => lock.withLock(() => undefined)))
    }
    const names = ['x', 'y', 'z'].map((letter) => `${tag}-${letter}`)
    for (let round = 0; round < 3; round++) {
      await Promise.all(names.flatMap((lockName) => [a, b, a, b].map((client) => nested(client, lockName))))
      for (const lockName of names) {
        const held = await a.getLock(lockName).lock()
        await expect(b.getLock(lockName).tryLock({ waitMs: 1_100 })).resolves.toBeNull()
        const abort = new AbortController()
        const waiting = b.getLock(lockName).lock({ signal: abort.signal })
        abort.abort()
        await expect(waiting).rejects.toThrow('aborted')
        await held.unlock()
      }
      await b.getLock(`${tag}-expires`).lock({ leaseMs: 100, maxHoldMs: 150 })
      const lost = await a.getLock(`${tag}-lost`).lock()
      await redis.del(`lock:${tag}-lost`)
      await expect(lost.unlock()).rejects.toThrow(LockLostError)
      const cut = nested(b, `${tag}-cut`)
      proxy.cut()
      await cut
    }
    // Locks that are still held, and waits that are still on, when the connection goes for good.
    await Promise.all(names.map((lockName) => b.getLock(lockName).lock()))
    const lateWaits = names.map((lockName) =>
      b
        .getLock(lockName)
        .lock()
        .catch(() => undefined),
    )
    await until(() => b.stats().waiters === names.length)
    proxy.blackHole('both')
    const closing = b.close()
    await a.close()
    await closing
    await Promise.all(lateWaits)
  }

  it('all have an end at all times, and afterwards only fences and client names are left', async () => {
    const stopSampling = sampleEndlessKeys()
    await mixedRun()
    await until(
      async () => {
        const keys = await leftoverKeys(server.url, '*')
        return keys.every((key) => key.endsWith(':fence') || key.startsWith('holdfast:client:'))
      },
      { what: 'leases, places and marks to end' },
    )
    expect(await leftoverKeys(server.url, `*${tag}*:fence`)).toHaveLength(6)
    for (const key of await leftoverKeys(server.url, '*')) {
      const longestMs = key.endsWith(':fence') ? 60_000 : options.watchdogTimeoutMs
      expect({ key, isBounded: (await redis.pttl(key)) <= longestMs }).toEqual({ key, isBounded: true })
    }
    expect(await stopSampling()).toEqual([])
  })
})

describe('close()', () => {
  it('leaves nothing when it comes before the first use, or while Redis is unreachable', async () => {
    const watch = watchResources()
    await new Holdfast({ redis: server.url }).close()
    const holdfast = new Holdfast({ redis: 'redis://127.0.0.1:1', commandTimeoutMs: 300 })
    const waiting = holdfast.getLock(name).lock()
    waiting.catch(() => undefined)
    await new Promise((resolve) => holdfast.once('error', resolve))
    await holdfast.close()
    await expect(waiting).rejects.toThrow(ClosedError)
    await watch.expectNone()
  })

  it('lets the process end by itself', async () => {
    const worker = await forkWorker(workerFile('use-and-close.mjs'), { args: [server.url] })
    closeAfterTest(() => worker.kill())
    let exit: unknown
    void worker.exited.then((ended) => (exit = ended))
    expect(await until(() => exit, { what: 'the process to end' })).toEqual({
      code: 0,
      signal: null,
    })
  })

  it('lets the process end soon although Redis is frozen and a release goes on in the background', async () => {
    const worker = await forkWorker(workerFile('release-and-close.mjs'), { args: [server.url] })
    closeAfterTest(() => worker.kill())
    await worker.waitFor('holding')
    await server.freeze()
    try {
      await worker.send({ type: 'finish' })
      expect(await worker.waitFor('warning')).toMatchObject({ code: 'RELEASE_UNCONFIRMED' })
      let exit: unknown
      void worker.exited.then((ended) => (exit = ended))
      // The lease is 30 s.
      expect(await until(() => exit, { what: 'the process to end' })).toEqual({
        code: 0,
        signal: null,
      })
    } finally {
      await server.thaw()
    }
  })
})

describe('a process without any listener', () => {
  it('lives through an outage of Redis, and goes on after it', async () => {
    const worker = await forkWorker(workerFile('no-listeners.mjs'), { args: [server.url] })
    closeAfterTest(() => worker.kill())
    await worker.waitFor('ready')
    await worker.send({ type: 'outage' })
    await server.kill()
    try {
      expect(await worker.waitFor('felt it')).toMatchObject({ code: 'UNAVAILABLE' })
    } finally {
      await server.restart()
    }
    await worker.waitFor('got in')
    await worker.send({ type: 'close' })
    await worker.waitFor('closed')
    await expect(worker.exited).resolves.toEqual({ code: 0, signal: null })
  })
})
