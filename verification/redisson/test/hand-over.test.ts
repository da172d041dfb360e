import { nowMs } from '@holdfast/testkit'
import { distributionOf } from '../src/index.js'
import { ms, printTable } from './support/print-table.js'
import { describeTogether, directions } from './support/describe-together.js'
import { promptMs } from './support/times.js'

const handOvers = 50
const table: Record<string, string | number>[] = []

afterAll(() => {
  printTable(
    `From the release of one side to the entry of the other, ${String(handOvers)} times, in ms`,
    table,
  )
})

describeTogether(
  'handing over',
  (context) => {
    describe.each(directions)('$holding holds, $waiting waits', ({ holding, waiting }) => {
      const tasks = () => {
        const { peer, lock, topology } = context()
        return {
          lock,
          redis: topology.redis,
          holder: peer(holding).task('holder'),
          waiter: peer(waiting).task('waiter'),
          other: peer(waiting).task('other'),
          untilWaiting: (count = 1) => peer(waiting).untilWaiting(count),
        }
      }

      it('a release wakes the waiter', async () => {
        const { lock, holder, waiter, untilWaiting } = tasks()
        const times: number[] = []
        while (times.length < handOvers) {
          await holder.lock(lock)
          const entering = waiter.lock(lock)
          await untilWaiting()
          const { leftAtMs } = await holder.unlock(lock)
          const { enteredAtMs } = await entering
          times.push(enteredAtMs - leftAtMs)
          await waiter.unlock(lock)
        }
        const { median, p99, max } = distributionOf(times)
        const { version, mode } = context()
        const direction = `${holding} → ${waiting}`
        table.push({ Redisson: version, on: mode, direction, median: ms(median), p99: ms(p99), max: ms(max) })
        expect(max).toBeLessThan(promptMs)
      })

      it('a wait times out, and leaves nothing that blocks later acquisitions', async () => {
        const { lock, holder, waiter } = tasks()
        await holder.lock(lock)
        const requestedAtMs = nowMs()
        expect(await waiter.tryLock(lock, { waitMs: 300 })).toBeNull()
        expect(nowMs() - requestedAtMs).toBeGreaterThan(295)
        await holder.unlock(lock)
        for (const task of [holder, waiter]) {
          expect(await task.tryLock(lock)).not.toBeNull()
          await task.unlock(lock)
        }
      })

      it('a wait that is long enough acquires the lock', async () => {
        const { lock, holder, waiter, untilWaiting } = tasks()
        await holder.lock(lock)
        const entering = waiter.tryLock(lock, { waitMs: 20_000, leaseMs: 10_000 })
        await untilWaiting()
        const { leftAtMs } = await holder.unlock(lock)
        expect((await entering)?.enteredAtMs).toBeLessThan(leftAtMs + promptMs)
        expect((await waiter.inspect(lock)).remainingMs).toBeLessThanOrEqual(10_000)
        await waiter.unlock(lock)
      })

      it('a fixed lease expires by itself, and not early', async () => {
        const { lock, holder, waiter } = tasks()
        const held = await holder.lock(lock, { leaseMs: 1_000 })
        const entered = await waiter.lock(lock)
        // Holdfast considers its lease expired slightly early: by 1 % and 2 ms.
        expect(entered.enteredAtMs - held.requestedAtMs).toBeGreaterThan(980)
        expect(entered.enteredAtMs - held.enteredAtMs).toBeLessThan(promptMs)
        await expect(holder.unlock(lock)).rejects.toThrow()
        expect(await waiter.inspect(lock)).toMatchObject({ isHeld: true, holdCount: 1 })
        await waiter.unlock(lock)
      })

      it('a hold that was entered twice ends when it was left twice', async () => {
        const { lock, redis, holder, waiter, other, untilWaiting } = tasks()
        const { owner } = await holder.lock(lock)
        await holder.lock(lock)
        expect(await redis.hgetall(lock)).toEqual({ [owner]: '2' })
        const entering = waiter.lock(lock)
        await untilWaiting()
        await holder.unlock(lock)
        expect(await redis.hgetall(lock)).toEqual({ [owner]: '1' })
        expect(await redis.pttl(lock)).toBeGreaterThan(20_000)
        expect(await other.tryLock(lock)).toBeNull()
        const { leftAtMs } = await holder.unlock(lock)
        expect((await entering).enteredAtMs - leftAtMs).toBeLessThan(promptMs)
        await waiter.lock(lock)
        expect(await waiter.inspect(lock)).toMatchObject({ holdCount: 2 })
        expect(await holder.tryLock(lock)).toBeNull()
        await waiter.unlock(lock)
        await waiter.unlock(lock)
        expect(await redis.exists(lock)).toBe(0)
      })

      it('many waiters on both sides are served, one at a time', async () => {
        const { peer, lock } = context()
        const holder = peer(holding).task('holder')
        const sides = [peer(holding), peer(waiting)]
        await holder.lock(lock)
        const crowd = sides.flatMap((side) =>
          Array.from({ length: 8 }, (_, n) => side.task(`crowd ${String(n)}`)),
        )
        const visits = crowd.map(async (task) => {
          const { enteredAtMs } = await task.lock(lock)
          return { enteredAtMs, ...(await task.unlock(lock)) }
        })
        for (const side of sides) await side.untilWaiting(8)
        const { leftAtMs } = await holder.unlock(lock)
        let beforeMs = leftAtMs
        for (const visit of (await Promise.all(visits)).sort((a, b) => a.enteredAtMs - b.enteredAtMs)) {
          expect(visit.enteredAtMs).toBeGreaterThan(beforeMs)
          expect(visit.enteredAtMs - beforeMs).toBeLessThan(promptMs)
          beforeMs = visit.leftAtMs
        }
      })

      it('a dead waiter does not block others', async () => {
        const { peer, start, lock } = context()
        const victim = await start(waiting)
        const holder = peer(holding).task('holder')
        await holder.lock(lock)
        const neverIn = expect(victim.task('victim').lock(lock)).rejects.toThrow()
        await victim.untilWaiting(1)
        const sides = [peer(waiting), peer(holding)]
        const entering = sides.map(async (side) => {
          const { enteredAtMs } = await side.task('survivor').lock(lock)
          await side.task('survivor').unlock(lock)
          return enteredAtMs
        })
        for (const side of sides) await side.untilWaiting(1)
        await victim.die()
        await neverIn
        const { leftAtMs } = await holder.unlock(lock)
        for (const enteredAtMs of await Promise.all(entering)) {
          expect(enteredAtMs - leftAtMs).toBeLessThan(promptMs)
        }
      })
    })
  },
  { isCore: true },
)
