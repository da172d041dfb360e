import { Redis } from 'ioredis'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'

/** A client under test, and a plain connection to the same Redis for looking on. */
export interface OpenedHoldfast {
  readonly holdfast: Holdfast
  readonly redis: Redis
}

const opened = new Set<() => Promise<void>>()

/** Makes a client that `closeAll` closes. Its connections go through `url`; so does the plain one. */
export function openHoldfast(url: string, options: Omit<HoldfastOptions, 'redis'> = {}): OpenedHoldfast {
  const holdfast = new Holdfast({ ...options, redis: url })
  closeAfterTest(() => holdfast.close())
  return { holdfast, redis: openRedisClient(url) }
}

/** A plain connection, opened at its first command, that `closeAll` closes. */
export function openRedisClient(url: string): Redis {
  const redis = new Redis(url, { lazyConnect: true })
  // Tests break servers on purpose; what matters shows in the replies.
  redis.on('error', () => undefined)
  closeAfterTest(() => {
    redis.disconnect()
    return Promise.resolve()
  })
  return redis
}

/** Anything else that must end with the test: a proxy, a worker, a server. Ends before what was opened earlier. */
export function closeAfterTest(end: () => Promise<unknown>): void {
  opened.add(async () => {
    await end()
  })
}

/** Ends everything that was opened through this file, the latest first. Meant for `afterEach`. */
export async function closeAll(): Promise<void> {
  const ends = [...opened].reverse()
  opened.clear()
  for (const end of ends) await end()
}
