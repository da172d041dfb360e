import type { SharedObject } from '../src/index.js'
import { describeTogether, directions, type Side } from './support/describe-together.js'
import { promptMs } from './support/times.js'

const kind = 'RCountDownLatch'

describeTogether('a latch', (context) => {
  const latch = (side: Side, task?: string): SharedObject =>
    context().peer(side).object(kind, context().lock, task)

  const both = () => [latch('Redisson'), latch('Holdfast')] as const

  describe.each(directions)('$holding counts down, $waiting waits', ({ holding, waiting }) => {
    it('opens for waiters on the other side with the last count', async () => {
      const { peer, topology, lock } = context()
      const counter = latch(holding)
      expect(await counter.trySetCount(2)).toBe(true)
      expect(await topology.redis.get(lock)).toBe('2')
      const waits = ['a', 'b', 'c'].map((task) => latch(waiting, task).wait())
      await peer(waiting).untilWaiting(3)
      await counter.countDown()
      expect([await counter.count(), await latch(waiting).count()]).toEqual([1, 1])
      const leftAtMs = await counter.countDown()
      for (const openAtMs of await Promise.all(waits))
        expect((openAtMs ?? NaN) - leftAtMs).toBeLessThan(promptMs)
      expect(await topology.redis.exists(lock)).toBe(0)
      expect(await latch(waiting).wait(0)).not.toBeNull()
    })

    it('is set by one of both sides only, and again once it is open', async () => {
      const [a, b] = [latch(holding), latch(waiting)]
      for (let round = 0; round < 3; round += 1) {
        expect(await a.trySetCount(1)).toBe(true)
        expect(await b.trySetCount(5)).toBe(false)
        expect(await b.wait(100)).toBeNull()
        await b.countDown()
        expect(await a.wait(promptMs)).not.toBeNull()
        expect(await b.trySetCount(1)).toBe(true)
        expect(await a.trySetCount(5)).toBe(false)
        await a.countDown()
        expect([await a.count(), await b.count()]).toEqual([0, 0])
      }
    })
  })

  it('that Java sets while one of us waits for none is open for it', async () => {
    const [java, ours] = both()
    expect(await ours.wait(0)).not.toBeNull()
    await java.trySetCount(1)
    expect(await ours.wait(0)).toBeNull()
  })

  it('counts a named party once, also when Java counts beside it, and again once Java has set a new count', async () => {
    const [java, ours] = both()
    const countAs = (party: string) => ours.call('countDown', { party })
    await java.trySetCount(4)
    await countAs('x')
    await countAs('x')
    await java.countDown()
    await countAs('x')
    expect(await java.count()).toBe(2)
    await countAs('y')
    await java.countDown()
    await java.trySetCount(3)
    await countAs('x')
    await countAs('x')
    expect(await java.count()).toBe(2)
  })

  it('that Java deletes lets our waiters pass; one that we delete does not', async () => {
    const { peer } = context()
    const [java, ours] = both()
    await java.trySetCount(1)
    const passing = latch('Holdfast', 'waiter').wait()
    await peer('Holdfast').untilWaiting(1)
    await java.call('delete')
    expect(await passing).not.toBeNull()
    await java.trySetCount(1)
    const failing = expect(latch('Holdfast', 'waiter').wait()).rejects.toMatchObject({ code: 'LATCH_GONE' })
    await peer('Holdfast').untilWaiting(1)
    expect(await ours.call('delete')).toMatchObject({ done: true })
    await failing
    expect(await java.count()).toBe(0)
  })

  it('opens once in each of many rounds that both sides set, count and wait for', async () => {
    const rounds = 100
    const parties = 20
    const sides = ['Redisson', 'Holdfast'] as const
    const [java, ours] = both()
    for (let round = 0; round < rounds; round += 1) {
      const wasSet = await Promise.all([java.trySetCount(parties), ours.trySetCount(parties)])
      expect(wasSet.filter(Boolean).length).toBe(1)
      const waits = sides.map((side) => latch(side, 'waiter').wait(promptMs))
      const counts = Array.from({ length: parties - 1 }, (_, n) =>
        latch(sides[n % 2] ?? 'Holdfast', `party ${String(n % 6)}`).countDown(),
      )
      await Promise.all(counts)
      expect(await java.count()).toBe(1)
      await latch(sides[round % 2] ?? 'Holdfast').countDown()
      for (const openAtMs of await Promise.all(waits)) expect(openAtMs).not.toBeNull()
      expect([await java.count(), await ours.count()]).toEqual([0, 0])
    }
  })
})

describeTogether('a name with a hash tag', (context) => {
  it('is refused for a latch in a Cluster, where Java cannot use it either', async () => {
    const { mode, peer, lock } = context()
    const name = `{${lock}}:x`
    const [java, ours] = [peer('Redisson').object(kind, name), peer('Holdfast').object(kind, name)]
    if (mode === 'single') {
      expect(await java.trySetCount(1)).toBe(true)
      await ours.countDown()
      expect(await java.wait(promptMs)).not.toBeNull()
      return
    }
    await expect(java.trySetCount(1)).rejects.toThrow(/CROSSSLOT/)
    await expect(ours.trySetCount(1)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
