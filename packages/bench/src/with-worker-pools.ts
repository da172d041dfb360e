import type { RedisServer } from '@holdfast/testkit'
import type { Contender } from './contender.js'
import { WorkerPool } from './worker-pool.js'
import { startPinnedRedis } from './redis.js'

/** Runs the callback with a new server and one pool per contender, each with that many processes; then stops them all. */
export async function withWorkerPools<T>(
  contenders: readonly Contender[],
  processes: number,
  use: (pools: readonly WorkerPool[], server: RedisServer) => Promise<T>,
): Promise<T> {
  const server = await startPinnedRedis()
  const starting = contenders.map((contender) => WorkerPool.start(contender, server.url, processes))
  try {
    return await use(await Promise.all(starting), server)
  } finally {
    await Promise.allSettled(starting.map(async (pool) => (await pool).stop()))
    await server.stop()
  }
}
