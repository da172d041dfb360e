import {
  findPgBouncer,
  startPgBouncer,
  startPostgres,
  startPostgresPair,
  startProxy,
  startSteppablePostgres,
  type FaultProxy,
  type PgBouncer,
  type PostgresPair,
  type PostgresServer,
} from '@holdfast/testkit'
import type { AnyTopology, Route } from './topology.js'

type TableKind = 'unlogged' | 'logged'

/**
 * Servers of PostgreSQL. Of each process one client goes to the server, and the next one through PgBouncer in transaction
 * mode, if that is installed. All listen past it, on a connection that has a proxy of its own.
 */
export interface PostgresTopology extends AnyTopology {
  readonly store: 'postgres'
  /** The primary, now. */
  primary(): PostgresServer
  /** `null` where it is not installed. */
  readonly pgBouncer: PgBouncer | null
  /** The primary with its standby; `null` for a single server. */
  readonly pair: PostgresPair | null
}

export const postgresTopologies = {
  postgres: () => onOneServer('unlogged'),
  'postgres-logged': () => onOneServer('logged'),
  'postgres-standby': () => onPair('logged', false),
  'postgres-sync': () => onPair('logged', true),
}

const stableWithinMs = 20_000

/** A server begins a process for each connection, and a command may need one. */
const commandTimeoutMs = 600

/** Each step on logged tables waits for the disk, which others use as well: a renewal may take longer than a third of the usual lease. */
const optionsOf = {
  unlogged: { commandTimeoutMs },
  logged: { commandTimeoutMs, watchdogTimeoutMs: 1_200 },
}

/** What keeps the locks. */
type Servers = Pick<PostgresTopology, 'primary' | 'pair' | 'stepClock'> & {
  /** Where the primary is; may change. */
  readonly address: { readonly host: string; readonly port: number }
  readonly tables: TableKind
  readonly stop: () => Promise<void>
}

async function onOneServer(tables: TableKind): Promise<PostgresTopology> {
  const steppable = await startSteppablePostgres()
  const server = steppable?.server ?? (await startPostgres())
  const stop = () => (steppable ?? server).stop()
  const clock = steppable ? { stepClock: (stepMs: number) => steppable.stepClock(stepMs) } : {}
  return onServers({ primary: () => server, address: server, pair: null, tables, stop, ...clock })
}

async function onPair(tables: TableKind, isSynchronous: boolean): Promise<PostgresTopology> {
  const pair = await startPostgresPair({ isSynchronous })
  const { address } = pair
  return onServers({ primary: () => pair.primary, address, pair, tables, stop: () => pair.stop() })
}

async function onServers({ address, tables, stop, ...servers }: Servers): Promise<PostgresTopology> {
  // PgBouncer's server is where its configuration says.
  const entrance = await startProxy(address, 'unknown')
  const pgBouncer = findPgBouncer() === undefined ? null : await startPgBouncer(entrance)
  return {
    store: 'postgres',
    options: optionsOf[tables],
    ...servers,
    pgBouncer,
    route: () => routeTo([address, pgBouncer ?? address], address, tables),
    async whenStable() {
      await servers.pair?.rejoin()
      await servers.primary().query('select 1')
      await pgBouncer?.whenUp(stableWithinMs)
    },
    async stop() {
      await pgBouncer?.stop()
      await entrance.close()
      await stop()
    },
  }
}

/** One template for each way to the database, with notifications past PgBouncer. */
async function routeTo(
  ways: readonly Servers['address'][],
  address: Servers['address'],
  tables: TableKind,
): Promise<Route> {
  const statements: FaultProxy[] = []
  for (const way of ways) statements.push(await startProxy(way, 'postgres'))
  const listening = await startProxy(address, 'postgres')
  const proxies = [...statements, listening]
  return {
    proxies,
    listening: [listening],
    templates: statements.map((proxy) => ({
      kind: 'postgres',
      url: urlOf(proxy),
      listenUrl: urlOf(listening),
      tables,
    })),
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}

const urlOf = ({ host, port }: FaultProxy): string => `postgres://postgres@${host}:${port}/postgres`
