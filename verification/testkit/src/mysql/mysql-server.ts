import type { MysqlRow } from './query-at.js'

/** A private MySQL or MariaDB for a test, on loopback. Nothing of it outlives this process. */
export interface MysqlServer extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Of the database `app`, as the user who may do everything. */
  readonly url: string
  /** The path of its socket. */
  readonly socketPath: string
  /** The same as another user, or for another database. */
  urlOf(options: { readonly user?: string; readonly database?: string }): string
  /** Runs one statement on a connection of its own, and resolves with its rows. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly MysqlRow[]>
  /** Everything that the server has logged so far. */
  log(): Promise<string>
  /** The statements that were sent so far, if it was started with `general_log: 'on'`. */
  statements(): Promise<string>
  /** Ends it with SIGKILL: `restart` brings it back. */
  kill(): Promise<void>
  /** Freezes it; the system still accepts connections and bytes for it. */
  freeze(): Promise<void>
  thaw(): void
  /** A new process on the same port. Resolves when it replies. */
  restart(options?: RestartMysqlOptions): Promise<void>
  /** Stops it permanently and removes its files. A second call does nothing. */
  stop(): Promise<void>
}

export interface RestartMysqlOptions {
  /** As after a crash; otherwise after a clean shutdown. @defaultValue false */
  readonly crash?: boolean
  /** Instead of those before. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface StartMysqlOptions {
  /** Settings, such as `{ read_only: 'on' }`. */
  readonly settings?: Readonly<Record<string, string>>
}
