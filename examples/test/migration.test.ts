import {
  forkWorker,
  isFullMatrix,
  openRedis,
  uniqueName,
  withRedis,
  type OpenedRedis,
  type Worker,
} from '@holdfast/testkit'
import { bridge, Holdfast } from '@holdfast/core'
import type { OldLock } from '@holdfast/core'
import { Redlock as SesamecareRedlock } from '@sesamecare-oss/redlock'
import { Redis } from 'ioredis'
import { join } from 'node:path'
import { Mutex } from 'redis-semaphore'
import Redlock from 'redlock'

type Version = 'before' | 'during' | 'after'

let redis: OpenedRedis
const workers = new Set<Worker>()

beforeAll(async () => {
  redis = await openRedis()
})

afterEach(async () => {
  await Promise.all([...workers].map((worker) => worker.kill()))
  workers.clear()
})

afterAll(() => redis.stop())

/** A process that runs one version of the code. */
async function start(library: string, version: Version): Promise<Worker> {
  const file = join(__dirname, '../migration/worker.mjs')
  const worker = await forkWorker(file, { args: [library, version], env: { REDIS_URL: redis.url } })
  workers.add(worker)
  await worker.waitFor('ready')
  return worker
}

const act = (worker: Worker, order: Readonly<Record<string, unknown>>): Promise<void> =>
  worker.send({ type: 'do', ...order })

async function finish(worker: Worker, order: Readonly<Record<string, unknown>>): Promise<void> {
  await act(worker, order)
  await worker.waitFor('done')
}

const countAt = (counter: string): Promise<number> =>
  withRedis(redis.url, async (connection) => {
    const count = Number(await connection.get(counter))
    await connection.del(counter)
    return count
  })

const libraries = [
  ...['redlock-5', 'redis-semaphore'],
  ...(isFullMatrix ? ['redlock-4', 'redlock-4-extend', 'sesamecare-redlock'] : []),
]

describe.each(libraries)('%s', (library) => {
  it('does not exclude Holdfast, which is why there is a bridge', async () => {
    const name = uniqueName('migration')
    const [old, fresh] = await Promise.all([start(library, 'before'), start(library, 'after')])
    await act(old, { act: 'stay', name })
    await old.waitFor('inside')
    await act(fresh, { act: 'stay', name })
    await fresh.waitFor('inside')
    await Promise.all([old, fresh].map((worker) => worker.send({ type: 'leave' })))
    await Promise.all([old, fresh].map((worker) => worker.waitFor('done')))
  })

  it.each([
    ['before', 'during'],
    ['during', 'after'],
  ] as const)('processes with the code of %s and of %s exclude each other', async (one, other) => {
    const name = uniqueName('migration')
    const counter = uniqueName('counter')
    const processes = await Promise.all([start(library, one), start(library, other)])
    await Promise.all(
      processes.map((worker) => finish(worker, { act: 'increment', name, counter, rounds: 15 })),
    )
    expect(await countAt(counter)).toBe(30)
  })

  it('a bridged call inside a bridged call takes the old lock once', async () => {
    const counter = uniqueName('counter')
    const worker = await start(library, 'during')
    await finish(worker, { act: 'nest', name: uniqueName('migration'), counter })
    expect(await countAt(counter)).toBe(1)
  })
})

it.each(['redlock-4-extend', 'sesamecare-redlock'])(
  'with %s, work stops when the old lock is lost',
  async (library) => {
    const worker = await start(library, 'during')
    await act(worker, { act: 'lose', name: uniqueName('migration'), durationMs: 1_000 })
    expect(await worker.waitFor('lost')).toMatchObject({ error: 'LockLostError' })
  },
)

describe('a bridged lease is lost with the old lock', () => {
  const retries = { retryCount: 1, retryDelay: 10, automaticExtensionThreshold: 500 }
  const oldLocks: [string, (connection: Redis, name: string) => [key: string, OldLock]][] = [
    [
      'of redlock 5',
      (connection, name) => {
        const redlock = new Redlock([connection], retries)
        return [name, (work) => redlock.using([name], 700, work)]
      },
    ],
    [
      'of @sesamecare-oss/redlock',
      (connection, name) => {
        const redlock = new SesamecareRedlock([connection], retries)
        return [name, (work) => redlock.using([name], 700, work)]
      },
    ],
    [
      'of redis-semaphore',
      (connection, name) => [
        `mutex:${name}`,
        async (work) => {
          const lost = new AbortController()
          const mutex = new Mutex(connection, name, {
            refreshInterval: 50,
            onLockLost: (error) => lost.abort(error),
          })
          await mutex.acquire()
          try {
            await work(lost.signal)
          } finally {
            await mutex.release()
          }
        },
      ],
    ],
  ]

  it.each(oldLocks)('%s', async (_, open) => {
    const name = uniqueName('migration')
    const connection = new Redis(redis.url)
    const holdfast = new Holdfast({ redis: redis.url })
    try {
      const [key, oldLock] = open(connection, name)
      const outcome = bridge(oldLock, holdfast.getLock(name)).withLock(async ({ signal }) => {
        expect(await connection.del(key)).toBe(1)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      })
      await expect(outcome).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'member-lost' })
    } finally {
      await holdfast.close()
      await connection.quit()
    }
  })
})

it('processes that used async-mutex exclude each other with Holdfast', async () => {
  const name = uniqueName('migration')
  const counter = uniqueName('counter')
  const processes = await Promise.all([start('async-mutex', 'after'), start('async-mutex', 'after')])
  await Promise.all(
    processes.map((worker) => finish(worker, { act: 'increment', name, counter, rounds: 10 })),
  )
  expect(await countAt(counter)).toBe(20)
})
