import { join } from 'node:path'
import {
  checkHistory,
  describeViolation,
  forkWorker,
  readHistories,
  scratchFolder,
  startIndependents,
  startProxy,
  until,
  type FaultProxy,
  type IndependentServers,
  type RedisServer,
  type Worker,
  soon,
} from '@holdfast/testkit'
import { UnavailableError, type HoldfastQuorum } from '../src/index.js'
import { closeAfterTest, closeAll } from './support/clients.js'
import { minimumPermissions } from './support/permissions.js'
import { openQuorum, useQuorum } from './support/quorum.js'
import { makeRedisUser } from './support/redis-user.js'

let five: IndependentServers
let servers: readonly [RedisServer, RedisServer, RedisServer, RedisServer, RedisServer]
let masters: string[]

beforeAll(async () => {
  five = await startIndependents(5)
  const [a, b, c, d, e] = five.servers
  if (!a || !b || !c || !d || !e) throw new Error('five servers were to start')
  servers = [a, b, c, d, e]
  masters = five.servers.map(({ url }) => url)
})

afterEach(async () => {
  jest.restoreAllMocks()
  await closeAll()
  await Promise.all(
    servers.map(async (server) => {
      if (server.pid === null) await server.restart()
      else await server.thaw()
    }),
  )
})

afterAll(() => five.stop())

/** Connected, and quiet about the masters that a test takes down. */
async function openReady(options: Parameters<typeof openQuorum>[1] = {}): Promise<HoldfastQuorum> {
  const quorum = openQuorum(masters, options).on('error', () => undefined)
  return useQuorum(quorum)
}

async function startContender(lock: string, file: string, name: string): Promise<Worker> {
  const options = JSON.stringify({ restartQuarantineMs: 0 })
  const args = [JSON.stringify(masters), options, lock, file, name]
  const worker = await forkWorker(join(__dirname, 'workers/quorum-contender.mjs'), { args })
  closeAfterTest(() => worker.kill())
  await worker.waitFor('ready')
  return worker
}

describe('hazards', () => {
  it('killed and frozen: processes exclude each other, and nobody waits for a lease to end', async () => {
    const folder = await scratchFolder()
    closeAfterTest(() => folder.remove())
    const files = ['A', 'B', 'C', 'D'].map((name) => join(folder.path, name))
    const workers = await Promise.all(
      files.map((file, i) => startContender('contended', file, 'ABCD'.charAt(i))),
    )
    await Promise.all(workers.map((worker) => worker.send({ type: 'start' })))
    const more = async (count: number): Promise<void> => {
      const goals = workers.map((worker) => worker.messages.length + count)
      await until(() => workers.every((worker, i) => worker.messages.length >= (goals[i] ?? 0)))
    }
    await more(10)
    await servers[0].kill()
    await more(10)
    await servers[1].freeze()
    await more(30)
    await servers[1].thaw()
    await more(10)
    await Promise.all(workers.map((worker) => worker.send({ type: 'stop' })))
    const done = await Promise.all(workers.map((worker) => worker.waitFor('done')))
    // A lease lasts 30 s; how much less it takes is up to the machine.
    expect(Math.max(...done.map(({ longestWaitMs }) => Number(longestWaitMs)))).toBeLessThan(20_000)
    expect(checkHistory(readHistories(files)).map((violation) => describeViolation(violation, []))).toEqual(
      [],
    )
  })

  it.each([
    ['is killed', (queueMaster: RedisServer) => queueMaster.kill()],
    ['is frozen', (queueMaster: RedisServer) => queueMaster.freeze()],
  ])(
    'queue master dies under a wait: a waiter goes on at the next master when the queue master %s',
    async (_, take) => {
      const [a, b] = [await openReady(), await openReady()]
      const lease = await a.getLock('job').lock()
      const waiting = b.getLock('job').lock()
      await until(() => b.stats().waiters === 1)
      await take(servers[0])
      await until(async () => {
        const waiters = await servers[1].call('LLEN', '{lock:job}:fifo')
        return waiters === 1
      })
      expect(lease.isHeld).toBe(true)
      await lease.unlock()
      await (await soon(waiting)).unlock()
    },
  )

  it('late yes: what a frozen master says after the majority is not left behind', async () => {
    const quorum = await openReady()
    await servers[4].freeze()
    await quorum.getLock('job').withLock(() => undefined)
    await servers[4].thaw()
    await until(async () => (await servers[4].call('EXISTS', 'lock:job')) === 0)
  })

  it('minority is notified: with three of five gone the holder learns it by its deadline, and nobody gets in', async () => {
    const [a, b] = [await openReady({ watchdogTimeoutMs: 3_000 }), await openReady()]
    const lease = await a.getLock('job').lock()
    const lost = new Promise((resolve) => a.once('lost', resolve))
    await Promise.all(servers.slice(0, 3).map((server) => server.kill()))
    // `null` when the first reply is that of a master that A still has.
    const outcome = await b
      .getLock('job')
      .tryLock()
      .catch((error: unknown) => (error instanceof UnavailableError ? error.code : error))
    expect([null, 'UNAVAILABLE']).toContain(outcome)
    await soon(lost)
    expect(lease.signal.reason).toMatchObject({ reason: 'minority' })
    await expect(b.getLock('job').lock({ waitMs: 300 })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('empty restart: masters that have just started have no vote, and unlimited waits outlast that', async () => {
    await Promise.all(servers.slice(0, 3).map((server) => server.restart()))
    const quorum = openQuorum(masters.slice(0, 3), { watchdogTimeoutMs: 1_500, restartQuarantineMs: 1_500 })
    quorum.on('error', () => undefined)
    await expect(quorum.getLock('job').tryLock()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(
        /^(.*started less than 1500 ms ago \(restartQuarantineMs\)){2,3}(?!.*as in tests.*as in tests).* use restartQuarantineMs: 0\)$/,
      ) as string,
    })
    const lease = await quorum.getLock('job').lock()
    expect(lease.isHeld).toBe(true)
    await lease.unlock()
  })
})

describe('a quorum on real masters', () => {
  it('renews its holds, and repairs them when a master comes back', async () => {
    const quorum = await openReady({ watchdogTimeoutMs: 6_000 })
    const lease = await quorum.getLock('job').lock()
    await servers[2].restart()
    await until(async () => (await servers[2].call('EXISTS', 'lock:job')) === 1)
    expect(lease.isHeld).toBe(true)
    await lease.unlock()
    const left = await Promise.all(servers.map((server) => server.call('EXISTS', 'lock:job')))
    expect(left).toEqual([0, 0, 0, 0, 0])
  })

  it('does not let a frozen master delay an unlock', async () => {
    const quorum = await openReady({ memberTimeoutMs: 60_000 })
    const lease = await quorum.getLock('job').lock()
    await servers[1].freeze()
    await soon(lease.unlock())
    await servers[1].thaw()
  })

  it('passes over a queue master that has stopped replying before its time is up', async () => {
    const quorum = await openReady({ memberTimeoutMs: 60_000 })
    await servers[0].freeze()
    const lock = quorum.getLock('job')
    await soon(lock.withLock(() => undefined))
    await servers[0].thaw()
  })

  it('says of a master that refuses connections that it does, also between two attempts to connect', async () => {
    const quorum = await openReady({ memberTimeoutMs: 300 })
    await Promise.all(servers.slice(0, 3).map((server) => server.kill()))
    // Attempts come farther apart than 300 ms after a while, so that most checks find none under way.
    await until(async () => {
      const error: unknown = await quorum
        .getLock('job')
        .tryLock()
        .catch((thrown: unknown) => thrown)
      return /did not reply within 300 ms \(memberTimeoutMs\); last error: .*ECONNREFUSED/.test(String(error))
    })
  })

  it('needs masters that permit INFO, unless there is no quarantine', async () => {
    jest.spyOn(console, 'warn').mockImplementation(() => undefined) // ioredis says there that INFO failed.
    const users = await Promise.all(
      servers.slice(0, 3).map((server) => makeRedisUser(server, minimumPermissions)),
    )
    const times = { watchdogTimeoutMs: 6_000, restartQuarantineMs: 6_000 }
    const cautious = openQuorum(users, { ...times, memberTimeoutMs: 3_000 }).on('error', () => undefined)
    await expect(cautious.getLock('job').tryLock()).rejects.toMatchObject({
      code: 'REFUSED',
      lockName: 'job',
      message: expect.stringContaining('the Redis user lacks +info') as string,
    })
    const trusting = openQuorum(users, { restartQuarantineMs: 0, memberTimeoutMs: 3_000 }).on(
      'error',
      () => undefined,
    )
    const lease = await trusting.getLock('job').tryLock()
    expect(lease?.isHeld).toBe(true)
    await lease?.unlock()
  })

  it('needs masters that are independent, whatever their names', async () => {
    const [a, b, c] = ['127.0.0.1', '127.1', '0.0.0.0'].map((host) => `redis://${host}:${servers[0].port}`)
    if (!a || !b || !c) throw new Error('there are three names')
    const one = openQuorum([a, b, c], { memberTimeoutMs: 3_000 }).on('error', () => undefined)
    await expect(one.getLock('job').tryLock()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(
        /masters must be independent, but two of them are Redis at \S+ and Redis at \S+, one server/,
      ) as string,
    })
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const two = openQuorum([a, b, servers[1].url])
    await useQuorum(two)
    await two.getLock('job').withLock((lease) => expect(lease.isHeld).toBe(true))
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /two of them are .*127\.1:.*, one server; .*\(until then Redis at \S+ has no vote\)/,
        ),
        { type: 'HoldfastWarning', code: 'HOLDFAST_INVALID_ARGUMENT' },
      ],
    ])
  })

  describe('of which two are one server', () => {
    let twin: FaultProxy
    let errors: string[]

    beforeEach(async () => {
      twin = await startProxy(servers[0])
      closeAfterTest(() => twin.close())
      errors = []
    })

    const openWithTwin = (memberTimeoutMs: number): HoldfastQuorum =>
      openQuorum([servers[0].url, twin.url, servers[1].url], { memberTimeoutMs }).on('error', ({ code }) =>
        errors.push(code),
      )

    it('says so before the first lock is handed out, however late that master replies', async () => {
      twin.blackHole('toClient')
      const acquiring = openWithTwin(20_000).getLock('job').tryLock()
      await until(async () => (await servers[1].call('EXISTS', 'lock:job')) === 1)
      twin.heal()
      const lease = await acquiring
      expect([lease?.isHeld, errors]).toEqual([true, ['INVALID_ARGUMENT']])
      await lease?.unlock()
    })

    it('gives the lock to a call whose wait ends while that master has not replied', async () => {
      twin.blackHole('toClient')
      const lease = await openWithTwin(20_000).getLock('job').lock({ waitMs: 1_500 })
      expect([lease.isHeld, errors]).toEqual([true, []])
      await lease.unlock()
      twin.heal()
      await until(() => errors.length > 0)
    })

    it('says so when that master was unreachable at first', async () => {
      await twin.refuse()
      const lease = await openWithTwin(300).getLock('job').lock()
      await until(() => errors.includes('UNAVAILABLE'))
      await twin.accept()
      await until(() => errors.includes('INVALID_ARGUMENT'))
      await lease.unlock()
    })
  })

  it('tells the holder who evicts it, also with a minority frozen', async () => {
    const [holder, operator] = [await openReady(), await openReady({ memberTimeoutMs: 500 })]
    const lease = await holder.getLock('job').lock()
    await servers[2].freeze()
    expect(await operator.getLock('job').forceUnlock({ by: 'ada@ops' })).toBe(true)
    await until(() => lease.signal.aborted)
    expect(lease.signal.reason).toMatchObject({ reason: 'revoked', by: 'ada@ops' })
    await expect(lease.unlock()).rejects.toMatchObject({ by: 'ada@ops' })
  })

  it('raises its token at a majority', async () => {
    const quorum = await openReady()
    const { fencingToken } = await quorum.getFencedLock('job').lock()
    const fences = await Promise.all(servers.map((server) => server.call('GET', '{lock:job}:fence')))
    expect(fences.filter((fence) => Number(fence) >= fencingToken).length).toBeGreaterThanOrEqual(3)
  })

  it('leaves the locks of a client that was killed to others after its lease', async () => {
    const quorum = await openReady()
    const folder = await scratchFolder()
    closeAfterTest(() => folder.remove())
    const worker = await startContender('crash', join(folder.path, 'A'), 'A')
    await worker.send({ type: 'start' })
    await worker.waitFor('entered')
    await worker.kill()
    const ttls = await Promise.all(servers.map((server) => server.call('PTTL', 'lock:crash')))
    expect(ttls).not.toContain(-1)
    await Promise.all(servers.map((server) => server.call('DEL', 'lock:crash')))
    await quorum.getLock('crash').withLock(() => undefined)
  })
})
