import { openEmbeddedPostgres } from './embedded-postgres.js'
import { installedPostgres, postgresFromEnvironment } from './server-postgres.js'

/** A PostgreSQL, wherever it came from. */
export interface Store {
  /** Where it came from, for one line of output. */
  readonly origin: string
  /** Runs one statement, with its `$1`, `$2`, …; answers with the rows that it returns. */
  query(text: string, params?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>
  close(): Promise<void>
}

/** DATABASE_URL, a server on this machine that lets us in, else an embedded one. */
export async function openStore(): Promise<Store> {
  return (await postgresFromEnvironment()) ?? (await installedPostgres()) ?? (await openEmbeddedPostgres())
}
