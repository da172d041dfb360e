import { nowMs, until } from '@holdfast/testkit'
import { runPermitCycles, type SharedKind } from '../src/index.js'
import { describeTogether, directions, type Side } from './support/describe-together.js'
import { promptMs } from './support/times.js'

const watchdogTimeoutMs = 1_500
const size = 3

const kinds = ['RSemaphore', 'RPermitExpirableSemaphore'] as const satisfies readonly SharedKind[]

describe.each(kinds)('%s', (kind) => {
  describeTogether('permits', (context) => {
    const timeoutsKey = () => `{${context().lock}}:timeout`

    /** The number of free permits, and of the ids if there are any, as they are in Redis. */
    const wire = async () => {
      const { topology, lock } = context()
      const [free, ids] = [await topology.redis.get(lock), await topology.redis.zcard(timeoutsKey())]
      return { free: Number(free), ids }
    }
    const used = (permits: number) => ({
      free: size - permits,
      ids: kind === 'RPermitExpirableSemaphore' ? permits : 0,
    })

    /** Before Redisson 3.51 a thread that waits for several permits with ids misses messages, also those of Redisson itself. */
    const wantedBy = (side: Side) =>
      side === 'Redisson' && kind === 'RPermitExpirableSemaphore' && context().version === '3.24.3' ? 1 : 2

    describe.each(directions)('$holding holds, $waiting waits', ({ holding, waiting }) => {
      const objects = async () => {
        const { peer, lock } = context()
        const java = peer('Redisson').object(kind, lock)
        await java.call('trySetPermits', { permits: size })
        return {
          holder: peer(holding).object(kind, lock, 'holder'),
          waiter: peer(waiting).object(kind, lock, 'waiter'),
          other: peer(waiting).object(kind, lock, 'other'),
          wanted: wantedBy(waiting),
          untilWaiting: (count: number) => peer(waiting).untilWaiting(count),
        }
      }

      it('a release wakes the waiter, as often as there is one', async () => {
        const { holder, waiter, wanted, untilWaiting } = await objects()
        for (let n = 0; n < 10; n += 1) {
          await holder.acquire(size)
          expect(await wire()).toEqual(used(size))
          const entering = waiter.acquire(wanted)
          await untilWaiting(1)
          const leftAtMs = await holder.release(size)
          expect((await entering) - leftAtMs).toBeLessThan(promptMs)
          expect(await wire()).toEqual(used(wanted))
          const free = size - wanted
          expect([await holder.available(), await waiter.available()]).toEqual([free, free])
          await waiter.release(wanted)
        }
        expect(await wire()).toEqual(used(0))
      })

      it('one release lets in all that fit', async () => {
        const { lock, peer } = context()
        const { holder, untilWaiting } = await objects()
        await holder.acquire(size)
        const crowd = ['a', 'b', 'c'].map((task) => peer(waiting).object(kind, lock, task))
        const entering = crowd.map((one) => one.acquire(1))
        await untilWaiting(3)
        const leftAtMs = await holder.release(size)
        for (const enteredAtMs of await Promise.all(entering)) {
          expect(enteredAtMs - leftAtMs).toBeLessThan(promptMs)
        }
        expect(await wire()).toEqual(used(3))
        await Promise.all(crowd.map((one) => one.release(1)))
        expect(await wire()).toEqual(used(0))
      })

      it('a wait times out, and leaves the permits to others', async () => {
        const { holder, waiter, other } = await objects()
        await holder.acquire(size)
        const requestedAtMs = nowMs()
        expect(await waiter.tryAcquire(1, { waitMs: 300 })).toBe(false)
        expect(nowMs() - requestedAtMs).toBeGreaterThan(295)
        expect(await other.tryAcquire(1)).toBe(false)
        await holder.release(size)
        expect(await other.tryAcquire(size)).toBe(true)
        await other.release(size)
        expect(await wire()).toEqual(used(0))
      })
    })

    it('come from the first of us to ask, if Java has not set them', async () => {
      const { lock, peer } = context()
      const [java, ours] = [peer('Redisson').object(kind, lock), peer('Holdfast').object(kind, lock)]
      const entering = java.acquire(1)
      await peer('Redisson').untilWaiting(1)
      await ours.call('tryAcquire', { permits: 1, size: 2 })
      await entering
      expect(await java.call('trySetPermits', { permits: 9 })).toMatchObject({ done: false })
      expect(await java.available()).toBe(0)
      await ours.release(1)
      await java.release(1)
      expect(await java.available()).toBe(2)
    })

    it('of a process of ours that dies return', async () => {
      const { lock, peer, start } = context()
      const java = peer('Redisson').object(kind, lock)
      await java.call('trySetPermits', { permits: size })
      const victim = await start('Holdfast', { watchdogTimeoutMs })
      await victim.object(kind, lock).acquire(size)
      const entering = [java.acquire(1), peer('Holdfast').object(kind, lock).acquire(1)]
      await peer('Redisson').untilWaiting(1)
      await peer('Holdfast').untilWaiting(1)
      await victim.die()
      const diedAtMs = nowMs()
      for (const enteredAtMs of await Promise.all(entering)) {
        expect(enteredAtMs - diedAtMs).toBeGreaterThan(watchdogTimeoutMs / 2)
        expect(enteredAtMs - diedAtMs).toBeLessThan(watchdogTimeoutMs + promptMs)
      }
      expect(await wire()).toEqual(used(2))
      await java.release(1)
      await peer('Holdfast').object(kind, lock).release(1)
      expect(await wire()).toEqual(used(0))
    })

    it('of ours are renewed for as long as they are held', async () => {
      const { lock, peer, start } = context()
      const java = peer('Redisson').object(kind, lock)
      await java.call('trySetPermits', { permits: size })
      const holder = (await start('Holdfast', { watchdogTimeoutMs })).object(kind, lock)
      const enteredAtMs = await holder.acquire(2)
      await until(() => nowMs() - enteredAtMs > 2 * watchdogTimeoutMs, { what: 'several renewals' })
      expect(await java.available()).toBe(1)
      expect(await java.tryAcquire(2)).toBe(false)
      await holder.release(2)
      expect(await java.tryAcquire(size)).toBe(true)
      await java.release(size)
    })

    it('are never more than there are under load from both sides, and are all back afterwards', async () => {
      const { lock, peer, topology } = context()
      const limit = 2_000
      await peer('Redisson').object(kind, lock).call('trySetPermits', { permits: 5 })
      const order = { object: kind, lock, permits: 2, tasks: 4, limit }
      const run = await runPermitCycles([peer('Redisson'), peer('Holdfast')], order)
      const cycles = run.flatMap((part) => part.cycles)
      expect(cycles.length).toBeGreaterThanOrEqual(limit)
      expect(Math.max(...cycles.map(({ inside }) => inside))).toBe(4)
      expect(Math.max(...cycles.map((cycle) => cycle.enteredAtMs - cycle.requestedAtMs))).toBeLessThan(
        promptMs,
      )
      // How many is a race between runtimes, which a busy machine decides.
      for (const part of run) expect(part.cycles.length).toBeGreaterThan(0)
      expect(await topology.redis.get(lock)).toBe('5')
      expect(
        await topology.redis.exists(timeoutsKey(), `{${lock}}:semaphore`, `{${lock}}:semaphore:ends`),
      ).toBe(0)
    })
  })
})

describeTogether('RPermitExpirableSemaphore', (context) => {
  const kind = 'RPermitExpirableSemaphore'

  it("Java's permits end, and let a waiter of ours in", async () => {
    const { lock, peer } = context()
    const [java, ours] = [peer('Redisson').object(kind, lock), peer('Holdfast').object(kind, lock)]
    await java.call('trySetPermits', { permits: 1 })
    const requestedAtMs = nowMs()
    const heldAtMs = await java.acquire(1, { leaseMs: 700 })
    const enteredAtMs = await ours.acquire(1)
    expect(enteredAtMs - requestedAtMs).toBeGreaterThan(650)
    expect(enteredAtMs - heldAtMs).toBeLessThan(promptMs)
    await ours.release(1)
    expect(await java.available()).toBe(1)
  })

  it('is resized as setPermits does it, on either side', async () => {
    const { lock, peer } = context()
    const [java, ours] = [peer('Redisson').object(kind, lock), peer('Holdfast').object(kind, lock)]
    await java.call('trySetPermits', { permits: 2 })
    await java.acquire(2)
    const other = peer('Redisson').object(kind, lock, 'other')
    const entering = other.acquire(1)
    await peer('Redisson').untilWaiting(1)
    await ours.call('resize', { permits: 5 })
    await entering
    expect(await java.call('available')).toMatchObject({ permits: 2, acquired: 3 })
    await java.call('setPermits', { permits: 7 })
    expect(await ours.available()).toBe(4)
    await java.release(2)
    await other.release(1)
    expect(await ours.available()).toBe(7)
  })
})
