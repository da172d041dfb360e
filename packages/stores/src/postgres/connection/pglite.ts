import { AsyncResource } from 'node:async_hooks'
import { within } from '@holdfast/core/engine'
import type { Connection, Database } from './connection.js'

/** What the engine uses of a `PGlite` database. */
export interface PGliteDatabase {
  readonly waitReady: Promise<void>
  /** How values become JavaScript's, by the numbers of their types. */
  readonly parsers: Readonly<Record<string, (value: string) => unknown>>
  query(
    text: string,
    values: unknown[],
    options: { rowMode: 'array'; parsers: Record<string, (value: string) => unknown> },
  ): Promise<{ rows: (string | null)[][] }>
  transaction(run: (transaction: { exec(sql: string): Promise<unknown> }) => Promise<void>): Promise<void>
  listen(channel: string, onMessage: (payload: string) => void): Promise<unknown>
  unlisten(channel: string, onMessage: (payload: string) => void): Promise<void>
}

/** A transaction of the application may run for longer than closing a client should take. */
const unlistenWithinMs = 100

/**
 * Any key will do: with one session for all, no advisory lock could tell clients apart. Who listens is looked up at PostgreSQL
 * instead, see `passOverUnlessListening`.
 */
const key = '0'

/** PostgreSQL in this process. All connections are its one session, and what they send runs one after another. */
export const pgliteDatabase = (database: PGliteDatabase): Database => ({
  name: 'PGlite',
  inProcess: database,
  open: () => open(database),
})

function open(database: PGliteDatabase): Connection {
  let stopListening = (): Promise<void> => Promise.resolve()
  const asText = Object.fromEntries(
    Object.keys(database.parsers).map((type) => [type, (value: string) => value]),
  )
  return {
    connect: () => database.waitReady,
    async query(text, values = []) {
      const options = { rowMode: 'array', parsers: asText } as const
      const { rows } = await database.query(text, [...values], options)
      return rows
    },
    isPooled: () => Promise.resolve(false),
    runScript: (sql) =>
      database.transaction(async (transaction) => {
        await transaction.exec(sql)
      }),
    async listen(channel, onMessage) {
      const name = `"${channel}"`
      // It would run in the async context of the step that sent the message.
      const receive = AsyncResource.bind(onMessage)
      stopListening = () => database.unlisten(name, receive)
      await database.listen(name, receive)
    },
    takeKey: () => Promise.resolve(key),
    // Nothing breaks between here and there; what is sent to a closed database is rejected.
    onEnd: () => undefined,
    async destroy() {
      await within(stopListening(), unlistenWithinMs).catch(() => undefined)
    },
  }
}
