import {
  InvalidArgumentError,
  LockLostError,
  type FencedClient,
  type FencingLease,
} from '@holdfast/core/engine'
import { addressOf } from './address.js'
import { sqlStateOf } from './errors.js'
import { leaseIsLost } from './sql/fence.js'
import { quoted } from './sql/quoted.js'

/** Fails outside a transaction, and does nothing inside. */
const inTransaction = 'savepoint holdfast_fence; release savepoint holdfast_fence'

/** The SQLSTATE of that failure. */
const noTransaction = '25P01'

/** See `PostgresEngine.fence`. */
export async function fence(client: FencedClient, lease: FencingLease, schema: string): Promise<void> {
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
    await (client.exec?.(inTransaction) ?? client.query(inTransaction))
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
