import { InvalidArgumentError } from '@holdfast/core/engine'
import type {
  EngineHost,
  EngineSession,
  FencedClient,
  FencingLease,
  LockEngine,
  Traits,
} from '@holdfast/core/engine'
import { engineName } from './errors.js'
import { fence } from './fence.js'
import { resolveOptions, type PostgresOptions, type PostgresSettings } from './options.js'
import { PostgresSession } from './session.js'
import { traitsOf } from './traits.js'

/** Locks, read/write locks, semaphores and latches in a PostgreSQL database. */
export class PostgresEngine implements LockEngine {
  /** `postgres` */
  readonly name = engineName
  /** What this engine promises. */
  readonly traits: Traits
  readonly #settings: PostgresSettings

  /** @internal */
  constructor(settings: PostgresSettings) {
    this.#settings = settings
    this.traits = traitsOf(settings)
  }

  /** Opens a session for one client; `new Holdfast({ engine })` does. */
  open(host: EngineHost): EngineSession {
    return new PostgresSession(host, this.#settings)
  }

  /**
   * What `lease.fence(client)` does, for code that has the facts of a lease and not the lease itself: fails the transaction if
   * the lease is not the current one.
   *
   * @param client - of the application, inside a transaction in the database of this engine; with PGlite the argument of the
   *   callback of `transaction`
   * @param lease - of a lock of this engine
   * @param timeoutMs - how long the client may take to reply at all; waiting for other transactions has no limit.
   * `lease.fence` has `commandTimeoutMs` here, and waits until the lease is lost at most
   * @throws `LockLostError` when the lock has another holder, or none: roll the transaction back. `UnavailableError` when the
   * client does not reply: do not commit. `InvalidArgumentError` outside a transaction, with a client of `pg` that was never
   * connected, in a database without the schema, and for a lease of anything but a lock; `RefusedError` when the role of the
   * client has no rights in the schema
   */
  async fence(client: FencedClient, lease: FencingLease, timeoutMs = 5_000): Promise<void> {
    const { database, schema } = this.#settings
    // Inside a transaction of PGlite, what is sent to the database itself would wait until the transaction is over.
    if (database.inProcess !== undefined && client === database.inProcess) {
      throw new InvalidArgumentError(
        'fence takes the transaction of PGlite, got the database itself: `database.transaction((tx) => lease.fence(tx))`',
      )
    }
    await fence(client, lease, schema, database.name, timeoutMs)
  }
}

/**
 * Locks, read/write locks, semaphores and latches in a PostgreSQL database (13 or later), for `new Holdfast({ engine })`.
 * Clients that use the same schema of the same database share them. Each client opens two connections of its own, at first
 * use. Given a PGlite database, clients share its one session.
 *
 * @throws `InvalidArgumentError` for options that are unknown, missing or invalid
 */
export const postgres = (options: PostgresOptions): PostgresEngine =>
  new PostgresEngine(resolveOptions(options))
