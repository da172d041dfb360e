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

/** Locks in a PostgreSQL database. */
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
   * @param client - of the application, inside a transaction in the database of this engine
   * @param lease - of a lock of this engine
   * @throws `LockLostError` when the lock has another holder, or none: roll the transaction back. `InvalidArgumentError` outside
   * a transaction, and for a lease of anything but a lock
   */
  async fence(client: FencedClient, lease: FencingLease): Promise<void> {
    await fence(client, lease, this.#settings.schema)
  }
}

/**
 * Locks in a PostgreSQL database (13 or later), for `new Holdfast({ engine })`. Clients that use the same schema of the same
 * database share its locks. Each client opens two connections of its own, at first use.
 *
 * @throws `InvalidArgumentError` for options that are unknown, missing or invalid
 */
export const postgres = (options: PostgresOptions): PostgresEngine =>
  new PostgresEngine(resolveOptions(options))
