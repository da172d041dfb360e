import type { Row } from './statement.js'

/** Runs a statement; rejects as PostgreSQL or the network has it. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** A connection of our own, which can be ended without the help of the other side. */
export interface Connection {
  /** Resolves once statements can be sent. Called before anything else but `onEnd`. */
  connect(): Promise<void>
  /** Why no reply has come yet, if the connection shows it. */
  readonly doubt?: string | undefined
  readonly query: Query
  /** Whether there is a pooler between here and the server. */
  isPooled(): Promise<boolean>
  /** Runs several statements, all or none. */
  runScript(sql: string): Promise<void>
  /** Resolves once PostgreSQL passes on what is sent to the channel. */
  listen(channel: string, onMessage: (payload: string) => void): Promise<void>
  /**
   * Has those who grant a lock know, by the key it resolves with, that messages arrive here while this connection lasts; and
   * operators, by the name of the channel.
   */
  takeKey(channel: string): Promise<string>
  /** Calls back when it has ended, with the reason. */
  onEnd(report: (cause: Error) => void): void
  /** Ends it: politely if that takes no time, and in any case. Resolves when nothing of it is left. */
  destroy(): Promise<void>
}

/** Statements are sent many at once; migrations and messages have connections of their own. */
export type Purpose = 'statements' | 'messages' | 'migration'

/** Where locks are kept, and how it is reached: by `pg`, or in this process. */
export interface Database {
  /** In messages: never with a user or a password. */
  readonly name: string
  /** The application's own object, if the database is in this process. */
  readonly inProcess?: object
  /** Begins a connection. */
  open(purpose: Purpose, connectTimeoutMs: number): Connection
}
