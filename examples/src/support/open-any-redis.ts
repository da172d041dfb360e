import {
  NoRedisError,
  openRedis,
  redisFromDocker,
  redisFromEnvironment,
  redisFromPath,
  type OpenedRedis,
} from '@holdfast/testkit'
import { openEmbeddedRedis } from './embedded-redis.js'

/** REDIS_URL, a container where Docker answers, a redis-server or valkey-server on PATH, else an embedded server. */
export async function openAnyRedis(): Promise<OpenedRedis> {
  try {
    return await openRedis([redisFromEnvironment, redisFromDocker, redisFromPath])
  } catch (error) {
    if (!(error instanceof NoRedisError)) throw error
    return openEmbeddedRedis()
  }
}
