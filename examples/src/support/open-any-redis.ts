import {
  NoRedisError,
  openRedis,
  redisFromEnvironment,
  redisFromPath,
  type OpenedRedis,
} from '@holdfast/testkit'
import { openEmbeddedRedis } from './embedded-redis.js'

/** REDIS_URL, a redis-server or valkey-server on PATH; `null` where there is none. */
export async function findRedis(): Promise<OpenedRedis | null> {
  try {
    return await openRedis([redisFromEnvironment, redisFromPath])
  } catch (error) {
    if (!(error instanceof NoRedisError)) throw error
    return null
  }
}

/** The Redis that is found, else an embedded server: for programs of several processes. */
export async function openAnyRedis(): Promise<OpenedRedis> {
  return (await findRedis()) ?? openEmbeddedRedis()
}
