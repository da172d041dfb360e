import { redisFromPath } from './probe-binary.js'
import { redisFromDebian } from './debian.js'
import { redisFromDocker } from './docker.js'
import type { RedisSource, RedisStep } from './redis-source.js'

/** The server that REDIS_URL names. Whether it replies is checked when it is used. */
export function redisFromEnvironment(): Promise<RedisSource | null> {
  const url = process.env['REDIS_URL']
  return Promise.resolve(url ? { kind: 'url', url } : null)
}

/** REDIS_URL, a Docker daemon, a server program on PATH, Debian's package. */
export const defaultSteps: readonly RedisStep[] = [
  redisFromEnvironment,
  redisFromDocker,
  redisFromPath,
  redisFromDebian,
]

/** No step found a Redis; the message says how to get one. */
export class NoRedisError extends Error {
  override readonly name = 'NoRedisError'

  constructor(options?: ErrorOptions) {
    super(
      [
        'No Redis found. Any one of these is enough:',
        '  REDIS_URL=redis://127.0.0.1:6379   a running server',
        '  Docker                             start it, or set DOCKER_HOST',
        '  brew install redis                 macOS',
        '  sudo apt-get install redis-server  Debian, Ubuntu',
        '  redis-server or valkey-server      on PATH, by any other means',
      ].join('\n'),
      options,
    )
  }
}

/** The first source that the steps find, or `null`. */
export async function searchRedis(steps: readonly RedisStep[] = defaultSteps): Promise<RedisSource | null> {
  for (const step of steps) {
    const source = await step()
    if (source) return source
  }
  return null
}

/** The first source that the steps find. Throws {@link NoRedisError} if there is none. */
export async function findRedis(steps: readonly RedisStep[] = defaultSteps): Promise<RedisSource> {
  const source = await searchRedis(steps)
  if (!source) throw new NoRedisError()
  return source
}
