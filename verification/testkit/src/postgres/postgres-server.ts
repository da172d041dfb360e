/** A private PostgreSQL for a test, on loopback. Nothing of it outlives this process. */
export interface PostgresServer extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Of the database `postgres`, as its superuser. */
  readonly url: string
  /** The same as another role, or in another database. */
  urlOf(options: { readonly role?: string; readonly database?: string }): string
  /** Runs SQL on a connection that only such statements have, and resolves with the rows of the last. */
  query(sql: string, values?: readonly unknown[]): Promise<Readonly<Record<string, unknown>>[]>
  /** Everything that the server has logged so far. */
  log(): Promise<string>
  /** Ends it by the signal of an immediate shutdown, as a crash would: it recovers at the next start. */
  crash(): Promise<void>
  /** Ends all its processes with SIGKILL, as a machine that fails: `restart` brings it back. */
  kill(): Promise<void>
  /** Freezes all its processes; the system still accepts connections and bytes for it. */
  freeze(): Promise<void>
  thaw(): void
  /** A new process on the same port. Resolves when it replies. */
  restart(options: RestartPostgresOptions): Promise<void>
  /** Stops it permanently and removes its files. A second call does nothing. */
  stop(): Promise<void>
}

export interface RestartPostgresOptions {
  /** As after a crash; otherwise after a clean shutdown. */
  readonly crash: boolean
  /** As a standby, which `pg_promote()` makes a primary. @defaultValue false */
  readonly isStandby?: boolean
}

export interface StartPostgresOptions {
  /** Settings, such as `{ log_statement: 'all' }`. */
  readonly settings?: Readonly<Record<string, string>>
}
