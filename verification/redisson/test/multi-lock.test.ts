import { criticalSection, gapsOf, runCycles, type LockTarget } from '../src/index.js'
import { wantedCycles } from './support/cycles.js'
import { describeTogether, directions, type Side } from './support/describe-together.js'
import { promptMs } from './support/times.js'

const bothSides = ['Redisson', 'Holdfast'] as const satisfies readonly Side[]

describeTogether('a multi lock', (context) => {
  /** Several locks of names that end in these. */
  const multi = (...members: string[]): LockTarget => {
    const { lock } = context()
    return { object: 'multi-lock', locks: members.map((member) => `${lock}-${member}`) }
  }

  const keys = async (): Promise<string[]> => {
    const { topology, lock } = context()
    const found = await Promise.all(topology.servers.map((server) => server.call('KEYS', `*${lock}*`)))
    const all = found.flatMap((reply) => (Array.isArray(reply) ? reply.map(String) : []))
    return all.filter((key) => !key.startsWith('redisson_')).sort()
  }

  describe.each(directions)('$holding holds, $waiting waits', ({ holding, waiting }) => {
    it('excludes every other that shares one lock with it, and wakes it', async () => {
      const { peer, lock } = context()
      const holder = peer(holding).task('holder', multi('a', 'b'))
      for (const [name, target] of [
        [`${lock}-c`, multi('c', 'b')],
        [`${lock}-a`, {}],
      ] as const) {
        const waiter = peer(waiting).task('waiter', target)
        await holder.lock(`${lock}-a`)
        expect(await waiter.tryLock(name)).toBeNull()
        const entering = waiter.lock(name)
        await peer(waiting).untilWaiting(1)
        const { leftAtMs } = await holder.unlock(`${lock}-a`)
        const { enteredAtMs } = await entering
        expect(enteredAtMs).toBeGreaterThan(leftAtMs)
        expect(enteredAtMs - leftAtMs).toBeLessThan(promptMs)
        expect(await holder.tryLock(`${lock}-a`)).toBeNull()
        await waiter.unlock(name)
      }
      expect(await keys()).toEqual([])
    })

    it('is kept out by a single lock, and holds nothing meanwhile that it tried in vain', async () => {
      const { peer, lock } = context()
      const holder = peer(holding).task('holder')
      const waiter = peer(waiting).task('waiter', multi('a', 'b'))
      await holder.lock(`${lock}-b`)
      expect(await waiter.tryLock(lock)).toBeNull()
      expect(await keys()).toEqual([`${lock}-b`])
      await holder.unlock(`${lock}-b`)
      expect(await waiter.tryLock(lock)).not.toBeNull()
      await waiter.unlock(lock)
      expect(await keys()).toEqual([])
    })

    it('may have members of every kind', async () => {
      const { peer, lock } = context()
      const members = multi('a', 'b#fenced', 'c#read', 'd#write')
      const holder = peer(holding).task('holder', members)
      await holder.lock(lock)
      const other = (name: string, target: LockTarget = {}) =>
        peer(waiting).task('other', target).tryLock(`${lock}-${name}`)
      expect(await peer(waiting).task('waiter', members).tryLock(lock)).toBeNull()
      expect(await other('a')).toBeNull()
      expect(await other('b')).toBeNull()
      expect(await other('c', { object: 'write-lock' })).toBeNull()
      expect(await other('d', { object: 'read-lock' })).toBeNull()
      expect(await other('c', { object: 'read-lock' })).not.toBeNull()
      await peer(waiting).task('other', { object: 'read-lock' }).unlock(`${lock}-c`)
      await holder.unlock(lock)
      expect(await peer(waiting).task('waiter', members).tryLock(lock)).not.toBeNull()
      await peer(waiting).task('waiter', members).unlock(lock)
      expect(await keys()).toEqual([])
    })
  })

  it('admits one at a time under load in one order, serves both sides, and leaves nothing', async () => {
    const { peer, lock, topology } = context()
    const limit = Math.min(2_000, wantedCycles)
    // Of one slot, so that the order of the names is the order in which Holdfast acquires them.
    const locks = ['a', 'b', 'c'].map((member) => `{${lock}}:${member}`)
    const [first = ''] = locks
    const order = { object: 'multi-lock', locks, lock: first, tasks: 2, limit } as const
    const run = await runCycles(
      bothSides.map((side) => peer(side)),
      order,
    )
    const cycles = run.flatMap((part) => part.cycles)
    expect(cycles.length).toBe(limit)
    expect(new Set(cycles.map(({ inside }) => inside))).toEqual(new Set([1]))
    expect(Math.max(...gapsOf(run))).toBeLessThan(promptMs)
    for (const part of run) expect(part.cycles.length).toBeGreaterThan(0)
    const [, inside, made] = criticalSection(first).keys
    expect(await Promise.all([inside, made].map((key) => topology.redis.get(key)))).toEqual([
      '0',
      String(limit),
    ])
    expect(await keys()).toEqual([inside, made].sort())
  }, 120_000)

  // Java gives up after 3 s and asks again at once, so that each of its time-outs is a race of its next request with
  // ours for the lock that it freed. It may take several.
  it('in which Java has another order ends at one of the time-outs of Java', async () => {
    const { peer, lock } = context()
    const [a, b] = [`{${lock}}:a`, `{${lock}}:b`]
    const blocker = peer('Holdfast').task('blocker')
    const here = peer('Holdfast').task('here', { object: 'multi-lock', locks: [a, b] })
    const java = peer('Redisson').task('java', { object: 'multi-lock', locks: [b, a] })
    await blocker.lock(a)
    const visits = [java, here].map(async (task) => {
      await task.lock(a)
      return task.unlock(a)
    })
    await peer('Redisson').untilWaiting(1)
    await peer('Holdfast').untilWaiting(1)
    await blocker.unlock(a)
    await Promise.all(visits)
    expect(await keys()).toEqual([])
  }, 180_000)
})
