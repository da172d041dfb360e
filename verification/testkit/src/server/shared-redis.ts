import { openRedis, type OpenedRedis } from './open-redis.js'

const variable = 'HOLDFAST_TEST_REDIS_URL'

let opened: OpenedRedis | null = null

/** Opens the one server that all test files of a run share. For jest's global set-up. */
export async function openSharedRedis(): Promise<void> {
  opened ??= await openRedis()
  process.env[variable] = opened.url
}

/** The counterpart, for jest's global tear-down. */
export async function closeSharedRedis(): Promise<void> {
  Reflect.deleteProperty(process.env, variable)
  const closing = opened
  opened = null
  await closing?.stop()
}

/**
 * The server that all tests of this run share; use unique names on it, and do not freeze, flush or stop it.
 *
 * Throws where jest's global set-up has not run and REDIS_URL is not set.
 */
export function sharedRedisUrl(): string {
  const url = process.env[variable] ?? process.env['REDIS_URL']
  if (url) return url
  throw new Error(`no shared Redis: ${variable} comes from jest's globalSetup; without it, set REDIS_URL`)
}
