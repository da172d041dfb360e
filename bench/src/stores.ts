import { setTimeout as sleep } from 'node:timers/promises'
import { Holdfast } from '@holdfast/core'
import { memcached } from '@holdfast/stores/memcached'
import {
  countCommands,
  startEtcd,
  startMemcached,
  startMysql,
  startPostgres,
  startRedis,
  startZooKeeper,
  withRedis,
  type PostgresServer,
} from '@holdfast/testkit'
import type { Contender } from './contender.js'
import { pin, redisCore } from './pinning.js'
import type { Pace } from './tasks/cycles.js'

type Run = () => Promise<Pick<Pace, 'cycles'>>

/** A server that only the benchmark uses. */
export interface Server {
  readonly url: string
  /** Where a contender connects. */
  readonly urlOf: (by: Pick<Contender, 'library'>) => string
  /** How many commands, statements or requests clients send per cycle while `run` runs. Do not time anything that runs here. */
  readonly sentPerCycle: (by: Pick<Contender, 'library'>, run: Run) => Promise<number>
}

type Start = <T>(contenders: readonly Contender[], use: (server: Server) => Promise<T>) => Promise<T>

/** What ioredis sends when a connection opens, and what tasks send to measure. */
const uncounted: ReadonlySet<string> = new Set(['hello', 'info', 'client', 'config'])

/** Runs the callback with a new Redis, which has a core of its own if there are several. */
export async function onRedis<T>(
  use: (server: Server & { host: string; port: number }) => Promise<T>,
): Promise<T> {
  await using redis = await startRedis()
  const { url, host, port } = redis
  const info = await withRedis(url, (each) => each.info('server'))
  await pin(Number(/^process_id:(\d+)/m.exec(info)?.[1]), redisCore)
  return await use({
    url,
    host,
    port,
    urlOf: () => url,
    // Calls inside scripts do not count; nor do pings, which idle connections send, unless they are the cycle.
    async sentPerCycle({ library }, run) {
      const { value, counts } = await countCommands(url, run)
      let sent = 0
      for (const [command, times] of counts)
        if (!uncounted.has(command) && (command !== 'ping' || library === 'PING')) sent += times
      return sent / value.cycles
    },
  })
}

/** Of a server that counts what it gets. */
const counting = (url: string, sent: () => Promise<number>): Server => ({
  url,
  urlOf: () => url,
  async sentPerCycle(_, run) {
    const before = await sent()
    const { cycles } = await run()
    return ((await sent()) - before) / cycles
  },
})

/** As they are by default where they matter. */
const postgresSettings = {
  ...{ max_connections: '600', shared_buffers: '128MB' },
  ...{ fsync: 'on', full_page_writes: 'on' },
}

/** By then every session has read a changed setting. */
const reloadMs = 100

/** What functions run does not count. The server writes each statement into its log meanwhile. */
async function statementsPerCycle(server: PostgresServer, run: Run): Promise<number> {
  const setLogging = async (statements: 'all' | 'none'): Promise<void> => {
    await server.query(`alter system set log_statement = '${statements}'`)
    await server.query('select pg_reload_conf()')
    await sleep(reloadMs)
  }
  await setLogging('all')
  const before = await server.log()
  const { cycles } = await run()
  const logged = (await server.log()).slice(before.length).match(/^LOG: +(?:execute|statement)\b/gm)
  await setLogging('none')
  return (logged?.length ?? 0) / cycles
}

/** Each has a database of its own, so that none is woken by the notices of another. */
const onPostgres: Start = async (contenders, use) => {
  await using server = await startPostgres({ settings: postgresSettings })
  const databases = new Map(contenders.map(({ library }, n) => [library, `contender_${n}`]))
  for (const database of databases.values()) await server.query(`create database ${database}`)
  return await use({
    url: server.url,
    urlOf: ({ library }) => server.urlOf({ database: databases.get(library) ?? 'postgres' }),
    sentPerCycle: (_, run) => statementsPerCycle(server, run),
  })
}

/** As they are by default where they matter: each commit is on disk. */
const mysqlSettings = {
  innodb_flush_log_at_trx_commit: '1',
  innodb_buffer_pool_size: '128M',
  max_connections: '600',
}

const onMysql: Start = async (_, use) => {
  await using server = await startMysql({ settings: mysqlSettings })
  const statements = async (): Promise<number> =>
    (await server.statements().catch(() => '')).match(/ Query\t/g)?.length ?? 0
  return await use({
    url: server.url,
    urlOf: () => server.url,
    // The server writes each statement into a file meanwhile.
    async sentPerCycle(_by, run) {
      const before = await statements()
      await server.query('set global general_log = 1')
      const { cycles } = await run()
      await server.query('set global general_log = 0')
      // The one that turns it off is among them.
      return ((await statements()) - before - 1) / cycles
    },
  })
}

const onZooKeeper: Start = async (_, use) => {
  await using server = await startZooKeeper()
  let asked = 0
  const requests = async (): Promise<number> => {
    const report = await server.ask('mntr')
    // The server counts these questions, too.
    asked += 1
    return Number(/^zk_packets_received\s+(\d+)/m.exec(report)?.[1] ?? 0) - asked
  }
  return await use(counting(server.connect, requests))
}

const onEtcd: Start = async (_, use) => {
  await using server = await startEtcd()
  const requests = async (): Promise<number> => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const received = metrics.matchAll(/^grpc_server_msg_received_total\{.*\} (\d+)$/gm)
    return [...received].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  return await use(counting(server.url, requests))
}

const onMemcached: Start = async (_, use) => {
  await using server = await startMemcached()
  // A new server grants no locks during the grace period.
  const client = new Holdfast({ engine: memcached({ url: server.url, graceMs: 3_000 }) })
  await client.getLock('first').withLock(() => undefined)
  await client.close()
  return await use(counting(server.url, () => server.commands()))
}

/** Runs the callback with a new server of the store. */
export const starts = {
  redis: (_, use) => onRedis(use),
  postgres: onPostgres,
  mysql: onMysql,
  zookeeper: onZooKeeper,
  etcd: onEtcd,
  memcached: onMemcached,
} as const satisfies Readonly<Record<string, Start>>

export type StoreName = keyof typeof starts

export const isStore = (name: string): name is StoreName => name in starts
