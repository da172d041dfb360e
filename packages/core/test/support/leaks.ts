import { watchResources, type ResourceWatch } from '@holdfast/testkit'
import type { Redis } from 'ioredis'

let watch: ResourceWatch | undefined

/** From now on each socket and timer that is opened must be closed when `expectNoOpenResources` looks. */
export function watchForLeaks(): void {
  // A server that a test restarts goes on for the next test; the file that started it stops it. Promised timers of Node have
  // no frame but their executor: tests and polls of other files use them, the packages do not.
  watch ??= watchResources({ except: /LocalRedis\.launch|^at new Promise \(<anonymous>\)$/ })
}

/** Fails with where they come from when sockets, timers or processes are open that were opened since the watch began. */
export async function expectNoOpenResources(): Promise<void> {
  const ended = watch
  watch = undefined
  // Longer than ioredis waits for the server to close a connection that it ends.
  await ended?.expectNone(3_000)
}

/** Fails when a key of a lock or of a client would stay in Redis forever. A test that writes such keys deletes them. */
export async function expectOurKeysToExpire(redis: Redis): Promise<void> {
  // A replica in a cluster sends everyone to its master.
  const [role] = await redis.role()
  if (role !== 'master') return
  const patterns = ['*lock:*', '*holdfast:*']
  const keys = (await Promise.all(patterns.map((pattern) => redis.keys(pattern)))).flat()
  const ttls = await Promise.all(keys.map((key) => redis.pttl(key)))
  expect(keys.filter((_, n) => ttls[n] === -1)).toEqual([])
}
