import { probeBinary, redisFromPath } from '../find/probe-binary.js'
import { redisFromDebian } from '../find/debian.js'
import { redisFromDocker } from '../find/docker.js'
import { findRedis } from '../find/find-redis.js'
import { startContainerRedis } from './container-redis.js'
import { startLocalRedis } from './local-redis.js'
import type { RedisServer, StartRedisOptions } from './redis-server.js'

/**
 * Starts a server and resolves when it replies to PING.
 *
 * Prefers a local program, since it starts faster and its process can be watched; then a container; then Debian's
 * package. Throws `NoRedisError` if there is none of them. Ignores REDIS_URL: tests must not freeze that server.
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<RedisServer> {
  if (options.program !== undefined) return startProgram(options.program, options)
  const source = await findRedis([redisFromPath, redisFromDocker, redisFromDebian])
  switch (source.kind) {
    case 'binary':
      return startLocalRedis(source.binary, options)
    case 'docker':
      return startContainerRedis(options)
    case 'url':
      throw new Error(`${source.url} was not started by the testkit`)
  }
}

async function startProgram(path: string, options: StartRedisOptions): Promise<RedisServer> {
  const binary = await probeBinary(path)
  if (!binary) throw new Error(`${path} is not a server program that starts`)
  return startLocalRedis(binary, options)
}
