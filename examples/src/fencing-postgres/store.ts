import { openEmbeddedPostgres } from './embedded-postgres.js'
import { installedPostgres, postgresFromEnvironment } from './server-postgres.js'

/** A PostgreSQL database from any source. */
export interface Store {
  /** Its source, for one line of output. */
  readonly origin: string
  /** Runs one statement, with its `$1`, `$2`, …; resolves with the rows that it returns. */
  query(text: string, params?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>
  close(): Promise<void>
}

/** DATABASE_URL, a local server that accepts us, or an embedded one. */
export async function openStore(): Promise<Store> {
  return (await postgresFromEnvironment()) ?? (await installedPostgres()) ?? (await openEmbeddedPostgres())
}
