import { inContainer, openServer, type OpenedServer, type Step } from '../find/open-server.js'
import { findPostgres, postgresKind } from './find-postgres.js'
import { startPostgres } from './postgres-server.js'
import { queryAt } from './query-at.js'

const container = inContainer({
  image: 'postgres:16-alpine',
  port: 5432,
  urlOf: (address) => `postgres://postgres@${address}/postgres`,
  prepare: (plain, wait) =>
    plain
      .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
      // It starts twice: first to create the database.
      .withWaitStrategy(wait.forLogMessage('ready to accept connections', 2)),
})

/** The programs on PATH, or of Debian's package if it is installed. */
const programs: Step = async () => {
  const origin = findPostgres()
  if (origin === null) return null
  const server = await startPostgres()
  return { url: server.url, origin, stop: () => server.stop() }
}

/** The server that PG_URL names, a container, or a server of its own. */
export async function openPostgres(steps: readonly Step[] = [container, programs]): Promise<OpenedServer> {
  const opened = await openServer(postgresKind, steps)
  await queryAt(opened.url, 'select 1')
  return opened
}
