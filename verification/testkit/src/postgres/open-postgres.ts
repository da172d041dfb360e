import { openServer, type OpenedServer, type Step } from '../find/open-server.js'
import { findPostgres, postgresKind } from './find-postgres.js'
import { startPostgres } from './postgres-server.js'
import { queryAt } from './query-at.js'

/** The programs on PATH, or of Debian's package if it is installed. */
const programs: Step = async () => {
  const origin = findPostgres()
  if (origin === null) return null
  const server = await startPostgres()
  return { url: server.url, origin, stop: () => server.stop() }
}

/** The server that PG_URL names, or a server of its own. */
export async function openPostgres(): Promise<OpenedServer> {
  const opened = await openServer(postgresKind, programs)
  await queryAt(opened.url, 'select 1')
  return opened
}
