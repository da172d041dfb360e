import { setTimeout as sleep } from 'node:timers/promises'
import {
  countCommands,
  startPostgres,
  startRedis,
  withRedis,
  type PostgresServer,
  type RedisServer,
} from '@holdfast/testkit'
import { onRedis as holdfastOnRedis } from './adapters/holdfast.js'
import { titleOf, type Contender } from './contender.js'
import { pin, redisCore } from './pinning.js'
import type { Pace } from './tasks/cycles.js'

/** Servers that only the benchmark uses. */
export interface Servers {
  readonly redis: RedisServer
  readonly urlOf: (contender: Contender) => string
  /** How many commands or statements clients send per cycle while `run` runs. Do not time anything that runs here. */
  readonly sentPerCycle: (
    by: Pick<Contender, 'library'>,
    run: () => Promise<Pick<Pace, 'cycles'>>,
  ) => Promise<number>
}

/** A new Redis, pinned to its core. */
async function startPinnedRedis(): Promise<RedisServer> {
  const server = await startRedis()
  const info = await withRedis(server.url, (redis) => redis.info('server'))
  await pin(Number(/^process_id:(\d+)/m.exec(info)?.[1]), redisCore)
  return server
}

/** Runs the callback with a new Redis. */
export async function onRedis<T>(use: (servers: Servers) => Promise<T>): Promise<T> {
  const redis = await startPinnedRedis()
  try {
    return await use({
      redis,
      urlOf: () => redis.url,
      sentPerCycle: ({ library }, run) => commandsPerCycle(redis.url, run, library === 'PING'),
    })
  } finally {
    await redis.stop()
  }
}

/** What ioredis sends when a connection opens, and what tasks send to measure. */
const uncounted: ReadonlySet<string> = new Set(['hello', 'info', 'client', 'config'])

/** Calls inside scripts do not count; nor do pings, which idle connections send, unless they are the cycle. */
async function commandsPerCycle(
  url: string,
  run: () => Promise<Pick<Pace, 'cycles'>>,
  isOfPings: boolean,
): Promise<number> {
  const { value, counts } = await countCommands(url, run)
  let sent = 0
  for (const [command, times] of counts)
    if (!uncounted.has(command) && (isOfPings || command !== 'ping')) sent += times
  return sent / value.cycles
}

/** As they are by default where they matter. */
const settings = { max_connections: '600', shared_buffers: '128MB', fsync: 'on', full_page_writes: 'on' }

/**
 * Runs the callback with a new PostgreSQL and a Redis beside it. On PostgreSQL a contender has a database of its own, so
 * that none is woken by the notices of another.
 */
export function onPostgres<T>(
  contenders: readonly Contender[],
  use: (servers: Servers & { readonly postgres: PostgresServer }) => Promise<T>,
): Promise<T> {
  return onRedis(async (servers) => {
    await using postgres = await startPostgres({ settings })
    const databases = new Map(contenders.map((contender, n) => [titleOf(contender), `contender_${n}`]))
    for (const database of databases.values()) await postgres.query(`create database ${database}`)
    const isOnRedis = ({ library }: Pick<Contender, 'library'>): boolean =>
      library === holdfastOnRedis.library
    return await use({
      ...servers,
      postgres,
      urlOf: (contender) =>
        isOnRedis(contender)
          ? servers.redis.url
          : postgres.urlOf({ database: databases.get(titleOf(contender)) ?? 'postgres' }),
      sentPerCycle: (by, run) =>
        isOnRedis(by) ? servers.sentPerCycle(by, run) : statementsPerCycle(postgres, run),
    })
  })
}

/** By then every session has read a changed setting. */
const reloadMs = 100

/** What functions run does not count. The server writes each statement into its log meanwhile. */
async function statementsPerCycle(
  server: PostgresServer,
  run: () => Promise<Pick<Pace, 'cycles'>>,
): Promise<number> {
  const setLogging = async (statements: 'all' | 'none'): Promise<void> => {
    await server.query(`alter system set log_statement = '${statements}'`)
    await server.query('select pg_reload_conf()')
    await sleep(reloadMs)
  }
  await setLogging('all')
  try {
    const before = await server.log()
    const { cycles } = await run()
    const after = await server.log()
    const logged = after.slice(before.length).match(/^LOG: +(?:execute|statement)\b/gm)
    return (logged?.length ?? 0) / cycles
  } finally {
    await setLogging('none')
  }
}
