import { forkWorker, startRedis, type RedisServer, type Worker } from '@holdfast/testkit'
import { join } from 'node:path'

/** A Redis for the tests of one file, and instances of an app that uses it. */
export interface Apps {
  readonly redis: RedisServer
  /** Starts one more instance; it ends with the test. Resolves once it is ready. */
  start(worker: string, env?: Readonly<Record<string, string>>): Promise<Worker>
}

/** To be called at the top of a test file. */
export function useApps(): Apps {
  let redis: RedisServer
  const started: Worker[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    await Promise.all(started.splice(0).map((app) => app.kill()))
    await redis.call('FLUSHALL')
  })
  afterAll(() => redis.stop())
  return {
    get redis() {
      return redis
    },
    async start(worker, env = {}) {
      const app = await forkWorker(join(__dirname, 'workers', `${worker}.mjs`), {
        env: { REDIS_URL: redis.url, ...env },
      })
      started.push(app)
      await app.waitFor('ready')
      return app
    },
  }
}
