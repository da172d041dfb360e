import { startPostgres, type PostgresServer } from '@holdfast/testkit'
import { titleOf, type Contender } from '../contender.js'
import { startPinnedRedis } from '../redis.js'
import { onRedis } from './contenders.js'

/** A new PostgreSQL with the settings that it has by default where they matter, and a Redis beside it. */
export interface Servers {
  readonly postgres: PostgresServer
  /** What a contender connects to: on PostgreSQL a database of its own, so that none is woken by the notices of another. */
  readonly urlOf: (contender: Contender) => string
}

const settings = {
  max_connections: '600',
  shared_buffers: '128MB',
  fsync: 'on',
  full_page_writes: 'on',
}

/** Runs the callback with servers that only the benchmark uses. */
export async function onServers<T>(
  contenders: readonly Contender[],
  use: (servers: Servers) => Promise<T>,
): Promise<T> {
  const redis = await startPinnedRedis()
  try {
    await using postgres = await startPostgres({ settings })
    const databases = new Map(contenders.map((contender, n) => [titleOf(contender), `contender_${n}`]))
    for (const database of databases.values()) await postgres.query(`create database ${database}`)
    const urlOf = (contender: Contender): string =>
      contender === onRedis
        ? redis.url
        : postgres.urlOf({ database: databases.get(titleOf(contender)) ?? 'postgres' })
    return await use({ postgres, urlOf })
  } finally {
    await redis.stop()
  }
}
