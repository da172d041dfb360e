import { redisFromPath } from '../../find/probe-binary.js'
import { redisFromDebian } from '../../find/debian.js'
import { startLocalRedis } from '../../server/local-redis.js'
import type { RedisServer, StartRedisOptions } from '../../server/redis-server.js'
import { openClock, type SteppableClock } from './steppable-clock.js'

/** A server whose wall clock can be stepped while it runs. */
export interface SteppableRedis extends AsyncDisposable {
  readonly server: RedisServer
  /**
   * Steps the clock by that many milliseconds, backwards if negative; steps add up, and restarts keep them.
   *
   * TIME and times to live follow at once. What the server measures by its monotonic clock is unaffected.
   */
  stepClock(stepMs: number): Promise<void>
  /** Stops the server permanently. A second call does nothing. */
  stop(): Promise<void>
}

/**
 * Starts a server like `startRedis`, with a preloaded library that intercepts its calls to the system's clock.
 *
 * `null` where that library is not available: it needs a local server on 64-bit Linux and a C compiler (`cc`).
 */
export async function startSteppableRedis(options: StartRedisOptions = {}): Promise<SteppableRedis | null> {
  const source = (await redisFromPath()) ?? (await redisFromDebian())
  if (source?.kind !== 'binary') return null
  const clock = await openClock()
  if (clock === null) return null
  const { binary } = source
  try {
    const server = await startLocalRedis({ ...binary, env: { ...binary.env, ...clock.env } }, options)
    return new SteppedServer(server, clock)
  } catch (error) {
    await clock.close()
    throw error
  }
}

class SteppedServer implements SteppableRedis {
  readonly server: RedisServer
  readonly #clock: SteppableClock

  constructor(server: RedisServer, clock: SteppableClock) {
    this.server = server
    this.#clock = clock
  }

  stepClock(stepMs: number): Promise<void> {
    return this.#clock.step(stepMs)
  }

  async stop(): Promise<void> {
    await this.server.stop()
    await this.#clock.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
