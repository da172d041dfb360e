import type { RedisServer } from '@holdfast/testkit'
import type { Contender } from './contender.js'
import { Crew } from './crew.js'
import { startPinnedRedis } from './redis.js'

/** Runs the callback with a server and a crew of so many processes for each contender. Ends them all. */
export async function withCrews<T>(
  contenders: readonly Contender[],
  processes: number,
  use: (crews: readonly Crew[], server: RedisServer) => Promise<T>,
): Promise<T> {
  const server = await startPinnedRedis()
  const starting = contenders.map((contender) => Crew.start(contender, server.url, processes))
  try {
    return await use(await Promise.all(starting), server)
  } finally {
    await Promise.allSettled(starting.map(async (crew) => (await crew).stop()))
    await server.stop()
  }
}
