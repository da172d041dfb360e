import { checkHistory, isFullMatrix, nowMs, uniqueName, until } from '@holdfast/testkit'
import {
  gapsOf,
  historyOf,
  redissonVersions,
  runCycles,
  startRedisson,
  type OpenOptions,
  type Peer,
} from '../src/index.js'
import { listenersOf } from './support/channel.js'
import { modes, startTopology, type Topology } from './support/topology.js'

const versions = isFullMatrix ? Object.values(redissonVersions) : [redissonVersions.newest]

/** Tests the harness: it must be right about Redisson alone before it can judge both sides. */
describe.each(versions)('Redisson %s', (version) => {
  describe.each(isFullMatrix ? modes : modes.slice(0, 1))('on a %s', (mode) => {
    let topology: Topology
    let a: Peer
    let b: Peer
    let lock: string

    const start = (options?: OpenOptions) => startRedisson(version, topology.reach, options)

    beforeAll(async () => {
      topology = await startTopology(mode)
      ;[a, b] = await Promise.all([start(), start()])
    })

    afterAll(async () => {
      await Promise.all([a.close(), b.close()])
      await topology[Symbol.asyncDispose]()
    })

    beforeEach(() => {
      lock = uniqueName('lock')
    })

    it('is on the same clock as this process', async () => {
      const before = nowMs()
      const { enteredAtMs } = await a.task('t').lock(lock)
      expect(enteredAtMs).toBeGreaterThan(before)
      expect(enteredAtMs).toBeLessThan(nowMs())
      await a.task('t').unlock(lock)
    })

    it('locks per task: the same one re-enters, another one waits for it', async () => {
      const [one, other] = [a.task('one'), a.task('other')]
      const { owner } = await one.lock(lock)
      await one.lock(lock)
      expect(owner).toContain(`${a.clientId}:`)
      expect(await topology.redis.hgetall(lock)).toEqual({ [owner]: '2' })
      expect(await one.inspect(lock)).toMatchObject({ isLocked: true, isHeld: true, holdCount: 2 })
      expect(await other.inspect(lock)).toMatchObject({ isLocked: true, isHeld: false, holdCount: 0 })
      expect(await other.tryLock(lock, { waitMs: 50 })).toBeNull()
      await expect(other.unlock(lock)).rejects.toMatchObject({ code: 'IllegalMonitorStateException' })
      await one.unlock(lock)
      await one.unlock(lock)
      expect((await other.tryLock(lock, { leaseMs: 2_000 }))?.owner).not.toBe(owner)
      expect((await other.inspect(lock)).remainingMs).toBeLessThanOrEqual(2_000)
      expect(await one.forceUnlock(lock)).toBe(true)
      expect(await one.forceUnlock(lock)).toBe(false)
    })

    it('waits for the other client, and is woken by its release', async () => {
      await a.task('t').lock(lock)
      const waiting = b.task('t').lock(lock)
      await b.untilWaiting(1)
      await until(async () => (await listenersOf(topology, lock)) === 1)
      const { leftAtMs } = await a.task('t').unlock(lock)
      const { enteredAtMs } = await waiting
      expect(enteredAtMs - leftAtMs).toBeLessThan(5_000)
      await b.task('t').unlock(lock)
    })

    it('leaves its locks held when it dies, for the duration of their lease', async () => {
      await using victim = await start({ watchdogTimeoutMs: 1_000 })
      const { owner } = await victim.task('t').lock(lock)
      await victim.die()
      expect(await topology.redis.hget(lock, owner)).toBe('1')
      const { enteredAtMs, requestedAtMs } = await a.task('t').lock(lock)
      expect(enteredAtMs - requestedAtMs).toBeLessThan(5_000)
      await a.task('t').unlock(lock)
    })

    it('increments its fencing tokens', async () => {
      const tokens: (number | null | undefined)[] = []
      for (const peer of [a, b, a]) {
        tokens.push((await peer.task('t').lock(lock, { fenced: true })).token)
        await peer.task('t').unlock(lock)
      }
      tokens.push((await b.task('t').tryLock(lock, { fenced: true }))?.token)
      await b.task('t').unlock(lock)
      expect(tokens).toEqual([1, 2, 3, 4])
    })

    it('serves many threads on one lock, one at a time', async () => {
      const run = await runCycles([a, b], { lock, tasks: 4, limit: 400 })
      const cycles = run.flatMap((part) => part.cycles)
      expect(cycles.length).toBe(400)
      expect(new Set(cycles.map(({ inside }) => inside))).toEqual(new Set([1]))
      expect(Math.min(...cycles.map(({ ttlMs }) => ttlMs))).toBeGreaterThan(0)
      expect(checkHistory(historyOf(lock, run))).toEqual([])
      expect(Math.max(...gapsOf(run))).toBeLessThan(5_000)
    })
  })
})
