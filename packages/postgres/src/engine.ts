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
   * Ties a transaction to a hold: call it right after `begin`, before the transaction reads or writes anything that the lock
   * protects. The transaction fails if the lease is not the current one. A later holder that calls `fence` waits until
   * this transaction is over, so neither can overwrite what it has not seen.
   *
   * Protects only against transactions that call it as well.
   *
   * @param client - of the application, inside a transaction in the database of this engine
   * @param lease - of a lock of this engine
   * @throws `LockLostError` when the lock has another holder, or none; `begin` has to be rolled back then
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
