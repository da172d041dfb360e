import { defaultSteps, NoRedisError } from '../find/find-redis.js'
import { describeSource, type RedisSource, type RedisStep } from '../find/redis-source.js'
import { startContainerRedis } from './container-redis.js'
import { startLocalRedis } from './local-redis.js'
import { withRedis } from './with-redis.js'

/** A Redis from any source. */
export interface OpenedRedis extends AsyncDisposable {
  readonly url: string
  /** Its source, for one line of output. */
  readonly origin: string
  /** Stops it if we started it. A second call does nothing. */
  stop(): Promise<void>
}

/**
 * Tries the steps in order and resolves with the first Redis that replies.
 *
 * A source that was found but does not start (for example, because no image can be pulled) is skipped, except for
 * REDIS_URL: if set, it names the only server to use. Throws {@link NoRedisError} with the failures as its cause.
 */
export async function openRedis(steps: readonly RedisStep[] = defaultSteps): Promise<OpenedRedis> {
  const failures: unknown[] = []
  for (const step of steps) {
    const source = await step()
    if (!source) continue
    if (source.kind === 'url') {
      await withRedis(source.url, (redis) => redis.ping())
      return opened(source, source.url, () => Promise.resolve())
    }
    try {
      const server =
        source.kind === 'docker' ? await startContainerRedis({}) : await startLocalRedis(source.binary, {})
      return opened(source, server.url, () => server.stop())
    } catch (error) {
      failures.push(error)
    }
  }
  throw new NoRedisError(failures.length > 0 ? { cause: new AggregateError(failures) } : undefined)
}

function opened(source: RedisSource, url: string, stop: () => Promise<void>): OpenedRedis {
  return { url, origin: describeSource(source), stop, [Symbol.asyncDispose]: stop }
}
