/**
 * A connection of the application to the database that also has its locks, inside a transaction: a `Client` of `pg` or what
 * its pool gives out, what `transaction` of PGlite gives to its callback, or anything else that runs a statement with `$1`,
 * `$2`, … and rejects with the error of the database. On MySQL a connection of `mysql2`, or anything else that takes `?` for values.
 */
export interface FencedClient {
  /** Runs one statement; with an empty list of values, it may be several. Always gets a list. */
  query(text: string, values: (string | number)[]): Promise<unknown>
  /** Runs several statements, where `query` runs one only. */
  exec?(text: string): Promise<unknown>
  /** A pool of `pg` has one: it runs each statement on any of its connections, so none of them in the transaction. */
  readonly totalCount?: never
}

/** What a transaction is tied to; a `Lease` is one. */
export interface FencingLease {
  /** As `Lease.kind`. */
  readonly kind: string
  /** Of the lock. */
  readonly name: string
  /** Who holds it. */
  readonly owner: string
  /** Of this hold. */
  readonly fencingToken: number
}
