import {
  InvalidArgumentError,
  LockLostError,
  kindOf,
  type FencedClient,
  type FencingLease,
} from '@holdfast/core/engine'
import { addressOf } from './address.js'
import { sqlStateOf } from './errors.js'
import { leaseIsLost } from './sql/fence.js'
import { quoted } from './sql/quoted.js'

/** Fails outside a transaction, and does nothing inside. */
const inTransaction = 'savepoint holdfast_fence; release savepoint holdfast_fence'

function checkClient(given: unknown): void {
  if (typeof given === 'object' && given !== null && 'query' in given && typeof given.query === 'function') {
    if (kindOf(given) !== 'a pool of pg') return
    throw new InvalidArgumentError(
      'fence takes the client that runs the transaction, got a pool of pg, which may run each statement on another ' +
        'connection: const client = await pool.connect(), begin on it, then lease.fence(client)',
    )
  }
  throw new InvalidArgumentError(
    `fence takes the client that runs the transaction, an object with query(text, values), got ${kindOf(given)}: ` +
      'for pg a Client or what pool.connect() gives, for anything else { query: (text, values) => … }',
  )
}

function checkLease(given: unknown): void {
  if (typeof given === 'object' && given !== null && 'fencingToken' in given && 'owner' in given) return
  throw new InvalidArgumentError(
    `fence takes a lease, or its kind, name, owner and fencingToken, got ${kindOf(given)}`,
  )
}

/** The SQLSTATE of that failure. */
const noTransaction = '25P01'

/** See `PostgresEngine.fence`. */
export async function fence(client: FencedClient, lease: FencingLease, schema: string): Promise<void> {
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
    await (client.exec?.(inTransaction) ?? client.query(inTransaction, []))
    await client.query(`select ${quoted(schema)}.fence_1($1, $2, $3)`, [id, owner, fencingToken])
  } catch (cause) {
    switch (sqlStateOf(cause)) {
      case leaseIsLost: {
        const text = `${owner} no longer holds lock ${lockName} with token ${fencingToken}: roll the transaction back`
        throw new LockLostError(text, { lockName, owner, reason: 'not-held', cause })
      }
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
