import { redisFromDocker as dockerReplies } from '../find/docker.js'
import { openFirst, stopping, type Step } from '../find/open-first.js'
import { findPostgres, NoPostgresError } from './find-postgres.js'
import { queryAt } from './query-at.js'
import { startPostgres } from './start-postgres.js'

/** A PostgreSQL from any source. */
export interface OpenedPostgres {
  readonly url: string
  /** Its source, for one line of output. */
  readonly origin: string
  /** Stops it if we started it. A second call does nothing. */
  stop(): Promise<void>
}

const image = 'postgres:16-alpine'

/**
 * The server that PG_URL names, else the first that a step opens: a container if Docker is running, a server of the programs
 * on this machine.
 *
 * A source that does not start is skipped, except for PG_URL: if set, it names the only server to use. Throws
 * {@link NoPostgresError} with the failures as its cause.
 */
export async function openPostgres(
  steps: readonly Step<OpenedPostgres>[] = [postgresFromDocker, postgresFromPrograms],
): Promise<OpenedPostgres> {
  const url = process.env['PG_URL']
  if (url) {
    await queryAt(url, 'select 1')
    return { url, origin: 'PG_URL', stop: () => Promise.resolve() }
  }
  return openFirst(steps, (details) => new NoPostgresError(details))
}

export async function postgresFromDocker(): Promise<OpenedPostgres | null> {
  if (!(await dockerReplies())) return null
  // Loaded on demand: it takes a good part of a second, and most runs never need it.
  const { GenericContainer, Wait } = await import('testcontainers')
  const container = await new GenericContainer(image)
    .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
    .withExposedPorts(5432)
    // It starts twice: first to create the database.
    .withWaitStrategy(Wait.forLogMessage('ready to accept connections', 2))
    .start()
  const url = `postgres://postgres@${container.getHost()}:${container.getMappedPort(5432)}/postgres`
  return { url, origin: 'a Docker container', stop: stopping(container) }
}

/** The programs on PATH, or of Debian's package if it is installed. */
export async function postgresFromPrograms(): Promise<OpenedPostgres | null> {
  const programs = findPostgres()
  if (programs === null) return null
  const server = await startPostgres()
  return { url: server.url, origin: programs, stop: () => server.stop() }
}
