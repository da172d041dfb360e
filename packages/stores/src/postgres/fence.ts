import {
  InvalidArgumentError,
  LockLostError,
  RefusedError,
  UnavailableError,
  kindOf,
  timedOut,
  type FencedClient,
  type FencingLease,
  within,
} from '@holdfast/core/engine'
import { addressOf } from './address.js'
import { noRights } from './database-check.js'
import { engineName, sqlStateOf } from './errors.js'
import { leaseIsLost } from './sql/fence.js'
import { quoted } from './sql/quoted.js'

/** Fails outside a transaction, and does nothing inside. */
const inTransaction = 'savepoint holdfast_fence; release savepoint holdfast_fence'

/** Whether it is a client of `pg` that would keep statements until it is connected, and nobody connects it. */
const isUnconnected = (client: object): boolean =>
  Reflect.get(client, '_connecting') === false && Reflect.get(client, '_connected') === false

/** What runs a statement in the transaction `tx` of a query builder. */
const inBuilder: Readonly<Record<string, string>> = {
  'a client of postgres.js': 'tx.unsafe(text, values)',
  'a client of knex': "tx.raw(text.replace(/\\$\\d/g, '?'), values)",
  'a client of Kysely': 'tx.executeQuery(CompiledQuery.raw(text, values))',
  'a client of Drizzle': 'tx.execute(withValues(text, values))',
  'a client of Prisma': 'tx.$executeRawUnsafe(text, ...values)',
}

function checkClient(given: unknown): void {
  if (typeof given === 'object' && given !== null && 'query' in given && typeof given.query === 'function') {
    if (isUnconnected(given)) {
      throw new InvalidArgumentError(
        'fence takes the client that runs the transaction, got a client of pg that was never connected: ' +
          'await client.connect(), begin on it, then lease.fence(client)',
      )
    }
    if (kindOf(given) !== 'a pool of pg') return
    throw new InvalidArgumentError(
      'fence takes the client that runs the transaction, got a pool of pg, which may run each statement on another ' +
        'connection: const client = await pool.connect(), begin on it, then lease.fence(client)',
    )
  }
  const kind = kindOf(given)
  const call = inBuilder[kind]
  throw new InvalidArgumentError(
    `fence takes the client that runs the transaction, an object with query(text, values), got ${kind}: ` +
      (call === undefined
        ? 'for pg a Client or what pool.connect() gives, for anything else { query: (text, values) => … }'
        : `with its transaction tx, lease.fence({ query: (text, values) => ${call} })`),
  )
}

function checkLease(given: unknown): void {
  if (typeof given === 'object' && given !== null && 'fencingToken' in given && 'owner' in given) return
  throw new InvalidArgumentError(
    `fence takes a lease, or its kind, name, owner and fencingToken, got ${kindOf(given)}`,
  )
}

/** The SQLSTATE of a write that its transaction does not permit. */
const readOnlyTransaction = '25006'

/** A wrapper that forgets to return its promise would let the caller write before the fence stands. */
function promised<T>(given: Promise<T>): Promise<T> {
  if (typeof given === 'object' && 'then' in given) return given
  throw new InvalidArgumentError(
    `query of the client that fence takes must return a promise, got ${kindOf(given)}: ` +
      'return it, as in { query: (text, values) => transaction.unsafe(text, values) }',
  )
}

/** The same of one that does not wait for the database. What a reply looks like is up to the client. */
function checkReply(reply: unknown): void {
  if (reply !== undefined && reply !== null) return
  throw new InvalidArgumentError(
    `query of the client that fence takes must resolve with the reply of the database, got ${String(reply)}: ` +
      'return it, as in { query: (text, values) => transaction.unsafe(text, values) }',
  )
}

/** The SQLSTATE of that failure. */
const noTransaction = '25P01'

/** The database that a client of `pg` is connected to. */
function databaseOf(client: object): string | undefined {
  const database: unknown = Reflect.get(client, 'database')
  return typeof database === 'string' ? database : undefined
}

/**
 * See `PostgresEngine.fence`.
 *
 * @param locksAt - the database of the locks
 * @param timeoutMs - how long the client may take to reply at all: after that it only waits for other transactions
 */
export async function fence(
  client: FencedClient,
  lease: FencingLease,
  schema: string,
  locksAt: string,
  timeoutMs: number,
): Promise<void> {
  checkClient(client)
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
  const { id } = addressOf(lockName, 'lock')
  try {
    const replying = client.exec?.(inTransaction) ?? promised(client.query(inTransaction, []))
    if ((await within(replying, timeoutMs)) === timedOut) {
      throw new UnavailableError(
        `the client of the transaction did not reply within ${timeoutMs} ms, so the transaction is not tied to ` +
          `lock ${lockName} of ${owner}: give fence a client that is connected and runs nothing else, and do not commit`,
        { lockName, owner, engine: engineName },
      )
    }
    const reply: unknown = await promised(
      client.query(`select ${quoted(schema)}.fence($1, $2, $3)`, [id, owner, fencingToken]),
    )
    checkReply(reply)
  } catch (cause) {
    const own = databaseOf(client)
    const place = own === undefined ? 'the database of this client' : `database ${own}`
    const way = `fence takes a client of the database of the locks, ${locksAt}`
    switch (sqlStateOf(cause)) {
      case leaseIsLost: {
        // A pooler may have another name for the same database: that the names differ proves nothing.
        const isSuspect = own !== undefined && !locksAt.endsWith(`/${own}`)
        const holds = isSuspect ? 'does not hold' : 'no longer holds'
        const inPlace = isSuspect ? ` in ${place}` : ''
        const text = `${owner} ${holds} lock ${lockName} with token ${fencingToken}${inPlace}: roll the transaction back`
        const hint = isSuspect ? `; ${way}` : ''
        throw new LockLostError(text + hint, { lockName, owner, reason: 'not-held', cause })
      }
      case '3F000':
      case '42883':
        throw new InvalidArgumentError(`${place} has no locks in schema ${schema}: ${way}`, {
          lockName,
          owner,
          cause,
        })
      case '42501':
        throw new RefusedError(noRights(schema), { lockName, owner, engine: engineName, cause })
      case readOnlyTransaction:
        throw new InvalidArgumentError('fence takes a transaction that may write, got a read-only one', {
          lockName,
          owner,
          cause,
        })
      case noTransaction:
        throw new InvalidArgumentError('fence has to be called inside a transaction, after begin', {
          lockName,
          owner,
          cause,
        })
      default:
        throw cause
    }
  }
}
