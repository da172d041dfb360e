import type { Store } from './store.js'

/** PostgreSQL compiled to WebAssembly, in this process and in memory. It needs no installation. */
export async function openEmbeddedPostgres(): Promise<Store> {
  // Loaded on demand: it is large, and a machine with a server never needs it.
  const { PGlite } = await import('@electric-sql/pglite')
  const database = await PGlite.create()
  return {
    origin: 'the embedded PGlite (no DATABASE_URL, no server found)',
    async query(text, params = []) {
      return (await database.query<Record<string, unknown>>(text, [...params])).rows
    },
    close: () => database.close(),
  }
}
