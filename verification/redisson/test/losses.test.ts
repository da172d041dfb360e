import { nowMs, until } from '@holdfast/testkit'
import { describeTogether, directions, type Side } from './support/describe-together.js'
import { promptMs } from './support/times.js'

const watchdogTimeoutMs = 3_000
const notTheOwner: Readonly<Record<Side, string>> = {
  Redisson: 'IllegalMonitorStateException',
  Holdfast: 'LOCK_LOST',
}

describeTogether('keeping and losing', (context) => {
  describe.each(directions)('$holding holds, $waiting waits', ({ holding, waiting }) => {
    it('the watchdog keeps the lock for as long as it is held', async () => {
      const { peer, start, lock, topology } = context()
      const holder = (await start(holding, { watchdogTimeoutMs })).task('holder')
      await holder.lock(lock)
      const entering = peer(waiting).task('waiter').lock(lock)
      await peer(waiting).untilWaiting(1)
      let renewals = 0
      let lastTtlMs = Infinity
      const watch = async () => {
        const ttlMs = await topology.redis.pttl(lock)
        if (ttlMs > lastTtlMs) renewals += 1
        lastTtlMs = ttlMs
        return renewals >= 4
      }
      await until(watch, { what: 'four renewals', timeoutMs: 8 * watchdogTimeoutMs })
      expect(await holder.inspect(lock)).toMatchObject({ isHeld: true })
      const { leftAtMs } = await holder.unlock(lock)
      const { enteredAtMs } = await entering
      expect(enteredAtMs).toBeGreaterThan(leftAtMs)
      expect(enteredAtMs - leftAtMs).toBeLessThan(promptMs)
      await peer(waiting).task('waiter').unlock(lock)
    })

    it('a dead holder blocks the lock until its lease expires, and no longer', async () => {
      const { peer, start, lock, topology } = context()
      const victim = await start(holding, { watchdogTimeoutMs })
      await victim.task('victim').lock(lock)
      const entering = peer(waiting).task('waiter').lock(lock)
      await peer(waiting).untilWaiting(1)
      await victim.die()
      const ttlMs = await topology.redis.pttl(lock)
      const endsAtMs = nowMs() + ttlMs
      const { enteredAtMs } = await entering
      expect(ttlMs).toBeGreaterThan(0)
      expect(enteredAtMs).toBeGreaterThan(endsAtMs - 100)
      expect(enteredAtMs - endsAtMs).toBeLessThan(promptMs)
      await peer(waiting).task('waiter').unlock(lock)
    })

    it('a forced unlock lets the waiter in and does not disturb it', async () => {
      const { peer, start, lock } = context()
      const evicted = await start(holding, { watchdogTimeoutMs })
      const waiter = peer(waiting).task('waiter')
      await evicted.task('holder').lock(lock)
      const entering = waiter.lock(lock)
      await peer(waiting).untilWaiting(1)
      const forcedAtMs = nowMs()
      expect(await peer(waiting).task('operator').forceUnlock(lock)).toBe(true)
      expect((await entering).enteredAtMs - forcedAtMs).toBeLessThan(promptMs)
      // Java cannot notify its holder.
      if (holding === 'Holdfast') await evicted.call({ op: 'untilLost', task: 'holder', lock })
      await expect(evicted.task('holder').unlock(lock)).rejects.toMatchObject({ code: notTheOwner[holding] })
      expect(await waiter.inspect(lock)).toMatchObject({ isHeld: true, holdCount: 1 })
      await waiter.unlock(lock)
      expect(await waiter.inspect(lock)).toMatchObject({ isLocked: false })
    })

    it('a forced unlock by the same side lets the waiter in, too', async () => {
      const { peer, lock } = context()
      const waiter = peer(waiting).task('waiter')
      await peer(holding).task('holder').lock(lock)
      const entering = waiter.lock(lock)
      await peer(waiting).untilWaiting(1)
      const forcedAtMs = nowMs()
      expect(await peer(holding).task('operator').forceUnlock(lock)).toBe(true)
      expect((await entering).enteredAtMs - forcedAtMs).toBeLessThan(promptMs)
      await waiter.unlock(lock)
    })
  })

  it('a hold that Redisson entered twice by a repeated command excludes us until its lease ends', async () => {
    const { peer, start, lock, topology } = context()
    const holder = (await start('Redisson', { watchdogTimeoutMs })).task('holder')
    const waiter = peer('Holdfast').task('waiter')
    const { owner } = await holder.lock(lock)
    await topology.redis.hincrby(lock, owner, 1)
    const entering = waiter.lock(lock)
    await peer('Holdfast').untilWaiting(1)
    await holder.unlock(lock)
    expect(await topology.redis.hgetall(lock)).toEqual({ [owner]: '1' })
    const endsAtMs = nowMs() + (await topology.redis.pttl(lock))
    const { enteredAtMs } = await entering
    expect(enteredAtMs).toBeGreaterThan(endsAtMs - 100)
    expect(enteredAtMs - endsAtMs).toBeLessThan(promptMs)
    await waiter.unlock(lock)
  })
})
