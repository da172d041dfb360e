import type {
  EngineHost,
  EngineSession,
  FencedClient,
  FencingLease,
  LockEngine,
  Traits,
} from '@holdfast/core/engine'
import { documentEngine, type DocumentStore } from '../documents/index.js'
import { engineName } from './errors.js'
import { fence } from './fence.js'
import { resolveOptions, type MysqlOptions, type MysqlSettings } from './options.js'
import { MysqlSession } from './session.js'
import { traitsOf } from './traits.js'

/** A client's session, and its connections. */
interface OpenSession {
  readonly session: EngineSession
  readonly documents: MysqlSession
}

/** Locks, read/write locks, semaphores and latches in a MySQL or MariaDB database. */
export class MysqlEngine implements LockEngine {
  /** `mysql` */
  readonly name = engineName
  /** What this engine promises. */
  readonly traits: Traits
  readonly #settings: MysqlSettings
  #open: readonly OpenSession[] = []

  /** @internal */
  constructor(settings: MysqlSettings) {
    this.#settings = settings
    this.traits = this.#engineOf((host) => new MysqlSession(settings, host)).traits
  }

  /** Opens a session for one client; `new Holdfast({ engine })` does. */
  open(host: EngineHost): EngineSession {
    const documents = new MysqlSession(this.#settings, host)
    const session = this.#engineOf(() => documents).open(host)
    this.#open = [...this.#open.filter((other) => !other.documents.isClosed), { session, documents }]
    return session
  }

  /**
   * What `lease.fence(client)` does, for code that has the facts of a lease and not the lease itself: fails if the lease is not the
   * current one, and has later holders that call it wait until the transaction is over.
   *
   * @param client - of the application, inside a transaction in the database of this engine: a connection of `mysql2`, or anything
   * else with `query(text, values)`, which takes `?` for values
   * @param lease - of a lock of this engine, of which a client has to be open in this process
   * @param timeoutMs - how long the client may take to reply at all. For other transactions it waits as long as its
   * `innodb_lock_wait_timeout` says
   * @throws `LockLostError` when the lock has another holder, or none: roll the transaction back. `UnavailableError` when the
   * client or the locks do not reply, or another transaction stays open: do not commit. `InvalidArgumentError` outside a transaction, in
   * a read-only one, in another database, and for a lease of anything but a lock; `RefusedError` when the user of the client
   * has no rights on the table
   */
  async fence(client: FencedClient, lease: FencingLease, timeoutMs = 5_000): Promise<void> {
    const session = this.#open.filter(({ documents }) => !documents.isClosed).at(-1)?.session
    await fence(client, lease, { settings: this.#settings, session, timeoutMs })
  }

  #engineOf(open: DocumentStore['open']): LockEngine {
    const { queue } = this.#settings
    return documentEngine({ name: engineName, traits: traitsOf(this.#settings), open }, { queue })
  }
}

/**
 * Locks, read/write locks, semaphores and latches in a database of MySQL (8.0 or later) or MariaDB (10.6 or later), for
 * `new Holdfast({ engine })`. Clients that use the same table of the same database share them. Each client opens one connection of its own at
 * first use, and up to four while it does much at once.
 *
 * @throws `InvalidArgumentError` for options that are unknown, missing or invalid
 */
export const mysql = (options: MysqlOptions): MysqlEngine => new MysqlEngine(resolveOptions(options))
