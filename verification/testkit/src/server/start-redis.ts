import { probeBinary, redisFromPath } from '../find/probe-binary.js'
import { redisFromDebian } from '../find/debian.js'
import { findRedis } from '../find/find-redis.js'
import { startLocalRedis } from './local-redis.js'
import type { RedisServer, StartRedisOptions } from './redis-server.js'

/**
 * Starts a server and resolves when it replies to PING.
 *
 * Prefers a local program, then Debian's package. Throws `NoRedisError` if there is none of them. Ignores REDIS_URL: tests must not freeze that server.
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<RedisServer> {
  if (options.program !== undefined) return startProgram(options.program, options)
  const source = await findRedis([redisFromPath, redisFromDebian])
  if (source.kind === 'url') throw new Error(`${source.url} was not started by the testkit`)
  return startLocalRedis(source.binary, options)
}

async function startProgram(path: string, options: StartRedisOptions): Promise<RedisServer> {
  const binary = await probeBinary(path)
  if (!binary) throw new Error(`${path} is not a server program that starts`)
  return startLocalRedis(binary, options)
}
