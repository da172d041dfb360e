import type { Redis } from 'ioredis'
import { numbersIn } from '../server-info.js'

/** In microseconds: the CPU time of Redis's main thread and of this process, and the wall-clock time. */
export interface Metered {
  readonly redisUs: number
  readonly clientUs: number
  readonly wallUs: number
}

/** Meters both sides while `during` runs. Redis's idle work is subtracted at the given rate. */
export async function meter(redis: Redis, idleShare: number, during: () => Promise<void>): Promise<Metered> {
  const redisBefore = await redisCpuUs(redis)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await during()
  const wallUs = (performance.now() - startedAt) * 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  const redisUs = (await redisCpuUs(redis)) - redisBefore - idleShare * wallUs
  return { redisUs: Math.max(0, redisUs), clientUs: user + system, wallUs }
}

/** The share of a core that an idle Redis uses. */
export async function idleShareOf(redis: Redis, forMs: number): Promise<number> {
  const { redisUs, wallUs } = await meter(
    redis,
    0,
    () => new Promise((resolve) => setTimeout(resolve, forMs)),
  )
  return redisUs / wallUs
}

export async function redisCpuUs(redis: Redis): Promise<number> {
  const names = ['used_cpu_user_main_thread', 'used_cpu_sys_main_thread'] as const
  const seconds = Object.values(numbersIn(await redis.info('cpu'), names))
  if (seconds.some(Number.isNaN))
    throw new Error('this version of Redis does not report the CPU time of its main thread')
  return seconds.reduce((sum, each) => sum + each, 0) * 1_000_000
}

export const redisBytes = async (redis: Redis): Promise<number> =>
  numbersIn(await redis.info('memory'), ['used_memory']).used_memory

/** The memory of these keys, including their values. */
export async function bytesOf(redis: Redis, ...keys: readonly string[]): Promise<number> {
  const each = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)))
  return each.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)
}
