import { redisFromPath } from '../find/probe-binary.js'
import type { RedisBinary } from '../find/redis-binary.js'
import { redisFromDebian } from '../find/debian.js'
import { searchRedis } from '../find/find-redis.js'

/** Servers that must reach each other run as plain processes: in containers they would have other addresses than on the host. */
export async function localBinary(purpose: string): Promise<RedisBinary> {
  const source = await searchRedis([redisFromPath, redisFromDebian])
  if (source?.kind === 'binary') return source.binary
  throw new Error(`${purpose} needs redis-server or valkey-server on PATH; a container does not suffice`)
}
