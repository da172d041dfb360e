import { startProxy, uniqueName, type FaultProxy } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { expectNoOpenResources, expectOurKeysToExpire, watchForLeaks } from './leaks.js'

/** Everything but where Redis is. */
export type ClientOptions = Omit<HoldfastOptions, 'redis'>

/** A client under test, and a plain connection to the same Redis for looking on. */
export interface OpenedHoldfast {
  readonly holdfast: Holdfast
  readonly redis: Redis
}

const opened = new Set<() => Promise<void>>()

/** Makes a client that `closeAll` closes. */
export function openClient(redis: HoldfastOptions['redis'], options: ClientOptions = {}): Holdfast {
  const holdfast = new Holdfast({ ...options, redis })
  closeAfterTest(() => holdfast.close())
  return holdfast
}

/** Makes a client that `closeAll` closes. Its connections go through `url`; so does the plain one. */
export function openHoldfast(url: string, options: ClientOptions = {}): OpenedHoldfast {
  return { holdfast: openClient(url, options), redis: openRedisClient(url) }
}

/** Makes a client that has done its first-use checks, so that from now on one call is one command. */
export async function openReadyClient(url: string, options: ClientOptions = {}): Promise<Holdfast> {
  const holdfast = openClient(url, options)
  await useOnce(holdfast)
  return holdfast
}

/** Has the client do its first-use checks. */
export async function useOnce(holdfast: Holdfast): Promise<void> {
  await holdfast.getLock(uniqueName('first-use')).withLock(() => undefined)
}

/** A plain connection, opened at its first command, that `closeAll` closes. */
export function openRedisClient(url: string): Redis {
  watchForLeaks()
  const redis = new Redis(url, { lazyConnect: true })
  // Tests break servers on purpose; what matters shows in the replies.
  redis.on('error', () => undefined)
  closeAfterTest(async () => {
    try {
      if (await isUp(redis)) await expectOurKeysToExpire(redis)
    } finally {
      redis.disconnect()
    }
  })
  return redis
}

/** False for one that was never used, that subscribed, or that the test itself or its server ended. */
async function isUp(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready' || redis.mode !== 'normal') return false
  return redis.ping().then(
    () => true,
    () => false,
  )
}

/** A proxy to that server, which `closeAll` closes. */
export async function openProxy(server: {
  readonly host: string
  readonly port: number
}): Promise<FaultProxy> {
  watchForLeaks()
  const proxy = await startProxy(server)
  closeAfterTest(() => proxy.close())
  return proxy
}

/** Anything else that must end with the test: a proxy, a worker, a server. Ends before what was opened earlier. */
export function closeAfterTest(end: () => Promise<unknown>): void {
  watchForLeaks()
  opened.add(async () => {
    await end()
  })
}

/** For keys without a TTL that a test writes itself, as other applications might: `closeAll` deletes them. */
export function deleteAfterTest(redis: Redis, ...keys: string[]): void {
  closeAfterTest(() => redis.del(...keys))
}

/**
 * Ends everything that was opened through this file, the latest first, and asserts that nothing is left: no socket or
 * timer in this process, and in Redis no key of ours that never expires. Meant for `afterEach`.
 */
export async function closeAll(): Promise<void> {
  const errors: unknown[] = []
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    await step().catch((error: unknown) => errors.push(error))
  }
  const ends = [...opened].reverse()
  opened.clear()
  for (const end of ends) await attempt(end)
  await attempt(expectNoOpenResources)
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'))
  if (errors.length > 0) throw errors[0]
}
