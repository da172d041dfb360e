import { randomBytes } from 'node:crypto'
import {
  InvalidArgumentError,
  kindOf,
  LockLostError,
  RefusedError,
  timedOut,
  UnavailableError,
  within,
  type EngineSession,
  type FencedClient,
  type FencingLease,
} from '@holdfast/core/engine'
import { engineName, errorNumbers, numberOf } from './errors.js'
import { fenceId } from './keys.js'
import type { MysqlSettings } from './options.js'
import { fenceSqlOf, quoted } from './sql.js'

export interface FenceOptions {
  readonly settings: MysqlSettings
  /** Of a client of the engine; left out if none is open. */
  readonly session: EngineSession | undefined
  readonly timeoutMs: number
}

/** Fails outside a transaction, since each statement is one of its own there, and does nothing inside. */
const inTransaction = ['savepoint holdfast_fence', 'release savepoint holdfast_fence']

const needs = 'fence takes the connection that runs the transaction'

/** What runs a statement in the transaction `tx` of a query builder. */
const inBuilder: Readonly<Record<string, string>> = {
  'a client of knex': 'tx.raw(text, values)',
  'a client of Kysely': 'tx.executeQuery(CompiledQuery.raw(text, values))',
  'a client of Drizzle': 'tx.execute(withValues(text, values))',
}

/** Runs a statement on the application's connection. */
type Run = (text: string, values?: readonly (string | number)[]) => Promise<unknown>

/** @throws `InvalidArgumentError` for what runs no transaction */
function runOn(given: unknown): Run {
  const kind = kindOf(given)
  if (kind === 'a pool of mysql2') {
    throw new InvalidArgumentError(
      `${needs}, got a pool of mysql2, which may run each statement on another one: ` +
        'const connection = await pool.getConnection(), begin on it, then lease.fence(connection)',
    )
  }
  const client = promising(given)
  if (!hasQuery(client)) {
    const call = inBuilder[kind]
    throw new InvalidArgumentError(
      `${needs}, an object with query(text, values), got ${kind}: ` +
        (call === undefined
          ? 'for mysql2 a connection or what pool.getConnection() gives, for anything else { query: (text, values) => … }'
          : `with its transaction tx, lease.fence({ query: (text, values) => ${call} })`),
    )
  }
  return async (text, values = []) => {
    const reply: unknown = client.query(text, [...values])
    // One that forgets to return its promise would let the caller write before the fence stands.
    const result: unknown = isPromise(reply) ? await reply : undefined
    if (result !== undefined && result !== null) return result
    throw new InvalidArgumentError(
      'query of the client that fence takes must return a promise of the reply of the database: ' +
        'return it, as in { query: (text, values) => transaction.raw(text, values) }',
    )
  }
}

/** Connections of `mysql2` that take callbacks have another face with promises. */
const promising = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && 'promise' in given && typeof given.promise === 'function'
    ? (given.promise as () => unknown).call(given)
    : given

const isPromise = (given: unknown): given is PromiseLike<unknown> =>
  typeof given === 'object' && given !== null && 'then' in given

const hasQuery = (given: unknown): given is FencedClient =>
  typeof given === 'object' && given !== null && 'query' in given && typeof given.query === 'function'

function checkLease(given: unknown): void {
  if (typeof given === 'object' && given !== null && 'fencingToken' in given && 'owner' in given) return
  throw new InvalidArgumentError(
    `fence takes a lease, or its kind, name, owner and fencingToken, got ${kindOf(given)}`,
  )
}

/**
 * See `MysqlEngine.fence`. The transaction locks a row that nothing else touches: one with the lock's own document would keep the lock from
 * being renewed and released. Whether the lease is the current one is read on a connection of ours once the row is locked: what the
 * transaction itself reads may be as old as its beginning.
 */
export async function fence(client: FencedClient, lease: FencingLease, options: FenceOptions): Promise<void> {
  const { settings, session, timeoutMs } = options
  const run = runOn(client)
  checkLease(lease)
  const { kind, name: lockName, owner, fencingToken } = lease
  if (kind !== 'lock') {
    throw new InvalidArgumentError(
      `only a lease of a lock can fence a transaction, got one of kind ${kind}`,
      {
        lockName,
        owner,
      },
    )
  }
  if (!session) {
    throw new InvalidArgumentError(
      'fence needs an open client of this engine, which looks up who holds the lock: open one, and keep it open, with new Holdfast({ engine })',
    )
  }
  const address = session.names.locate(lockName, 'lock')
  const store = session.store.knownIncarnation(address) ?? (await session.store.incarnation(address))
  const sql = fenceSqlOf(`${quoted(settings.database)}.${quoted(settings.table)}`)
  const id = fenceId(lockName).toString('hex')
  try {
    for (const statement of inTransaction) {
      if ((await within(run(statement), timeoutMs)) !== timedOut) continue
      throw new UnavailableError(
        `the client of the transaction did not reply within ${timeoutMs} ms, so the transaction is not tied to lock ${lockName} of ` +
          `${owner}: give fence a client that is connected and runs nothing else, and do not commit`,
        { lockName, owner, engine: engineName },
      )
    }
    await run(sql.lock, [id, store ?? ''])
    const seen = rowOf(await run(sql.seen, [id]))
    if (seen !== rowOf(await run(sql.latest, [id]))) throw readsThePast(lease)
    await run(sql.mark, [randomBytes(16).toString('hex'), id])
  } catch (cause) {
    throw explained(cause, lease, settings)
  }
  const found = await session.steps.inspect(address, 0)
  const isCurrent =
    found.kind === 'lock' && found.owner === owner && found.token === fencingToken && found.ttlMs > 0
  if (isCurrent) return
  throw new LockLostError(
    `${owner} no longer holds lock ${lockName} with token ${fencingToken}: roll the transaction back`,
    { lockName, owner, reason: 'not-held' },
  )
}

/** The row of a reply, whether the client wraps rows in a list, or lists them. */
const rowOf = (reply: unknown): string =>
  JSON.stringify(Array.isArray(reply) ? (reply as unknown[])[0] : reply)

const readsThePast = ({ name: lockName, owner }: FencingLease): UnavailableError =>
  new UnavailableError(
    `the transaction reads what was there before the last one that lock ${lockName} fences was over: roll it back and begin again, ` +
      'and call fence right after begin, before anything is read',
    { lockName, owner, engine: engineName },
  )

/** What an error of the application's connection means. */
function explained(
  cause: unknown,
  { name: lockName, owner }: FencingLease,
  { name, database, table }: MysqlSettings,
): unknown {
  const details = { lockName, owner, cause }
  const elsewhere = `fence takes a connection to the database of the locks, ${name}`
  switch (numberOf(cause)) {
    case errorNumbers.noSuchSavepoint:
      return new InvalidArgumentError(
        'fence has to be called inside a transaction, after begin: each statement is a separate transaction now',
        details,
      )
    case errorNumbers.readOnlyTransaction:
      return new InvalidArgumentError(
        'fence takes a transaction that may write, got a read-only one',
        details,
      )
    case errorNumbers.noSuchTable:
      return new InvalidArgumentError(
        `this connection finds no table ${database}.${table}: ${elsewhere}`,
        details,
      )
    case errorNumbers.isNull:
      return new InvalidArgumentError(
        `table ${database}.${table} of this connection has other locks: ${elsewhere}`,
        details,
      )
    case errorNumbers.noRightsOnTable:
    case errorNumbers.noRightsOnColumn:
      return new RefusedError(
        `the user of the transaction needs SELECT, INSERT and UPDATE on ${database}.${table}`,
        { ...details, engine: engineName },
      )
    case errorNumbers.lockWaitTimeout:
      return new UnavailableError(
        `another transaction that lock ${lockName} fences stays open for longer than innodb_lock_wait_timeout: roll this one back`,
        { ...details, engine: engineName },
      )
    default:
      return cause
  }
}
