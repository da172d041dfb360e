import { startReplica, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import type { Holdfast } from '../../src/index.js'
import { closeAll, openReadyClient, openRedisClient, type ClientOptions } from './clients.js'
import { LockInRedis } from './lock-in-redis.js'
import { ownRedis } from './own-redis.js'
import { loadScripts } from './scripts.js'

/** Long enough for a replica that is thawed on a busy machine. */
export const patient = { minReplicas: 1, replicaTimeoutMs: 15_000 }
export const hasty = { minReplicas: 1, replicaTimeoutMs: 300 }

/** A call that is not awaited yet. */
export interface Call<T> {
  readonly isSettled: boolean
  /** What it resolved or rejected with. */
  readonly end: Promise<unknown>
  readonly result: Promise<T>
}

export function begin<T>(result: Promise<T>): Call<T> {
  let isSettled = false
  const end = result
    .catch((error: unknown) => error)
    .finally(() => {
      isSettled = true
    })
  return {
    end,
    result,
    get isSettled() {
      return isSettled
    },
  }
}

/** Redis has been told to wait until replicas have what was written. */
export async function untilReplicasAwaited(server: RedisServer): Promise<void> {
  const isBlocked = async (): Promise<boolean> =>
    / flags=b .* cmd=wait /m.test(String(await server.call('CLIENT', 'LIST')))
  await until(isBlocked, { what: `a WAIT at ${server.url}` })
}

/** A master with one replica for the tests of a block, and a lock for each of them. */
export function useReplicaPair() {
  const server = ownRedis()
  let started: RedisServer | undefined
  let redis: Redis | undefined
  let name = ''

  beforeAll(async () => {
    started = await startReplica(server)
  }, 30_000)

  afterAll(() => started?.stop())

  beforeEach(async () => {
    redis = openRedisClient(server.url)
    name = uniqueName('replicas')
    await loadScripts(redis)
  })

  afterEach(async () => {
    await started?.thaw()
    await closeAll()
  })

  function begun<T>(value: T | undefined): T {
    if (value === undefined) throw new Error('there is a pair for tests, and not before them')
    return value
  }

  const pair = {
    server,
    get replica(): RedisServer {
      return begun(started)
    },
    get redis(): Redis {
      return begun(redis)
    },
    get name(): string {
      return name
    },
    get inRedis(): LockInRedis {
      return new LockInRedis(pair.redis, name)
    },
    open: (options: ClientOptions = {}, url = server.url): Promise<Holdfast> => openReadyClient(url, options),
    /** A call that waits behind a holder. */
    async waiter(holdfast: Holdfast, options: { leaseMs?: number; heldForMs?: number } = {}) {
      const { leaseMs, heldForMs } = options
      const held = await (await pair.open()).getLock(name).lock({ leaseMs: heldForMs })
      const call = begin(holdfast.getLock(name).lock({ leaseMs }))
      await pair.inRedis.untilQueued(1)
      return { held, call }
    },
  }
  return pair
}
