import { isFullMatrix, nowMs, startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import {
  criticalSection,
  gapsOf,
  redissonVersions,
  runCycles,
  startRedisson,
  type OpenOptions,
  type Peer,
} from '../src/index.js'
import { wantedCycles } from './support/cycles.js'
import { directions, type Side } from './support/describe-together.js'
import { startHoldfast } from './support/start-holdfast.js'
import { promptMs } from './support/times.js'

const watchdogTimeoutMs = 1_500

describe.each(isFullMatrix ? Object.values(redissonVersions) : [redissonVersions.newest])(
  'a quorum lock: Redisson %s and Holdfast on 3 masters',
  (version) => {
    const red = { object: 'red-lock' } as const
    let servers: RedisServer[]
    let clients: Redis[]
    let peers: Record<Side, Peer>
    let lock: string

    const start = (side: Side, options?: OpenOptions): Promise<Peer> => {
      const reach = { mode: 'masters', addresses: servers.map(({ url }) => url) } as const
      return side === 'Redisson' ? startRedisson(version, reach, options) : startHoldfast(reach, options)
    }

    beforeAll(async () => {
      servers = await Promise.all([startRedis(), startRedis(), startRedis()])
      clients = servers.map(({ url }) => new Redis(url))
      const [java, here] = await Promise.all([start('Redisson'), start('Holdfast')])
      peers = { Redisson: java, Holdfast: here }
    })

    afterAll(async () => {
      await Promise.all(Object.values(peers).map((peer) => peer.close()))
      for (const client of clients) client.disconnect()
      await Promise.all(servers.map((server) => server.stop()))
    })

    beforeEach(() => {
      lock = uniqueName('lock')
    })

    const target = (side: Side) => (side === 'Redisson' ? red : {})

    /** At how many masters the lock is held. */
    const heldAt = async (): Promise<number> => {
      const found = await Promise.all(clients.map((client) => client.exists(lock)))
      return found.reduce((sum, one) => sum + one, 0)
    }

    const untilHeldAt = (count: number) =>
      until(async () => (await heldAt()) === count, { what: `${count} masters to have it` })

    describe.each(directions)('$holding holds, $waiting waits', ({ holding, waiting }) => {
      it('keeps the other out, and lets it in at once afterwards', async () => {
        const holder = peers[holding].task('holder', target(holding))
        const waiter = peers[waiting].task('waiter', target(waiting))
        for (let n = 0; n < 5; n++) {
          await holder.lock(lock)
          await untilHeldAt(3)
          expect(await waiter.tryLock(lock)).toBeNull()
          const entering = waiter.lock(lock)
          await peers[waiting].untilWaiting(1)
          const { leftAtMs } = await holder.unlock(lock)
          const { enteredAtMs } = await entering
          expect(enteredAtMs).toBeGreaterThan(leftAtMs)
          expect(enteredAtMs - leftAtMs).toBeLessThan(promptMs)
          await waiter.unlock(lock)
          await untilHeldAt(0)
        }
      })

      it('is held with one master empty, and lost with two', async () => {
        await using victim = await start(holding, { watchdogTimeoutMs })
        const waiter = peers[waiting].task('waiter', target(waiting))
        await victim.task('holder', target(holding)).lock(lock)
        await untilHeldAt(3)
        await clients[0]?.del(lock)
        expect(await waiter.tryLock(lock)).toBeNull()
        await victim.die()
        const endsAtMs =
          nowMs() + Math.max(...(await Promise.all(clients.map((client) => client.pttl(lock)))))
        const { enteredAtMs } = await waiter.lock(lock)
        expect(enteredAtMs).toBeLessThan(endsAtMs + promptMs)
        await waiter.unlock(lock)
        await untilHeldAt(0)
      })
    })

    it('admits one at a time under load, serves both sides, and leaves nothing', async () => {
      const limit = Math.min(2_000, wantedCycles)
      const runs = (['Redisson', 'Holdfast'] as const).map((side) =>
        runCycles([peers[side]], { ...target(side), lock, tasks: 2, limit }),
      )
      const run = (await Promise.all(runs)).flat()
      const cycles = run.flatMap((part) => part.cycles)
      expect(cycles.length).toBe(limit)
      expect(new Set(cycles.map(({ inside }) => inside))).toEqual(new Set([1]))
      expect(Math.max(...gapsOf(run))).toBeLessThan(promptMs)
      for (const part of run) expect(part.cycles.length).toBeGreaterThan(0)
      await untilHeldAt(0)
      const [, inside, made] = criticalSection(lock).keys
      expect(await clients[0]?.mget(inside, made)).toEqual(['0', String(limit)])
    }, 120_000)
  },
)
