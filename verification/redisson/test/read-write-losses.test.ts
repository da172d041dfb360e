import { nowMs, until } from '@holdfast/testkit'
import { describeTogether, directions } from './support/describe-together.js'
import { promptMs } from './support/times.js'

const watchdogTimeoutMs = 1_500
const read = { object: 'read-lock' } as const
const write = { object: 'write-lock' } as const

/** In a Cluster only the channels differ. */
describeTogether(
  'keeping and losing a read/write lock',
  (context) => {
    describe.each(directions)('$holding holds, $waiting waits', ({ holding, waiting }) => {
      it.each([
        ['reader', read],
        ['writer', write],
      ] as const)('a dead %s keeps a writer out until its lease expires, and no longer', async (_, held) => {
        const { peer, start, lock, topology } = context()
        const victim = await start(holding, { watchdogTimeoutMs })
        await victim.task('victim', held).lock(lock)
        const waiter = peer(waiting).task('waiter', write)
        const entering = waiter.lock(lock)
        await peer(waiting).untilWaiting(1)
        await victim.die()
        const endsAtMs = nowMs() + (await topology.redis.pttl(lock))
        const { enteredAtMs } = await entering
        expect(enteredAtMs).toBeGreaterThan(endsAtMs - 100)
        expect(enteredAtMs - endsAtMs).toBeLessThan(promptMs)
        await waiter.unlock(lock)
      })

      it('a reader that leaves does not take the others along, and the watchdog keeps them', async () => {
        const { peer, start, lock, topology } = context()
        const stays = (await start(holding, { watchdogTimeoutMs })).task('stays', read)
        const leaves = peer(waiting).task('leaves', read)
        await leaves.lock(lock)
        await stays.lock(lock)
        await leaves.unlock(lock)
        expect(await topology.redis.pttl(lock)).toBeLessThanOrEqual(watchdogTimeoutMs)
        let renewals = 0
        let lastTtlMs = Infinity
        await until(
          async () => {
            const ttlMs = await topology.redis.pttl(lock)
            if (ttlMs > lastTtlMs) renewals += 1
            lastTtlMs = ttlMs
            return renewals >= 3
          },
          { what: 'three renewals', timeoutMs: 8 * watchdogTimeoutMs },
        )
        expect(await peer(waiting).task('writer', write).tryLock(lock)).toBeNull()
        await stays.unlock(lock)
        expect(await topology.redis.exists(lock)).toBe(0)
      })
    })
  },
  { on: ['single'] },
)
