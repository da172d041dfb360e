import { Client } from 'pg'
import { redisFromDocker as dockerReplies } from '../find/docker.js'
import { findPostgres } from './find-postgres.js'
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

/** No PostgreSQL was found; the message says how to get one. */
export class NoPostgresError extends Error {
  override readonly name = 'NoPostgresError'

  constructor(options?: ErrorOptions) {
    super(
      [
        'No PostgreSQL found. Any one of these is enough:',
        '  PG_URL=postgres://me@127.0.0.1/app  a running server',
        '  Docker                              start it, or set DOCKER_HOST',
        '  brew install postgresql             macOS',
        '  sudo apt-get install postgresql     Debian, Ubuntu',
        '  postgres and initdb                 on PATH, by any other means',
      ].join('\n'),
      options,
    )
  }
}

/**
 * The server that PG_URL names, else a container if Docker is running, else the programs on PATH or of Debian's package.
 *
 * A source that does not start is skipped, except for PG_URL: if set, it names the only server to use. Throws
 * {@link NoPostgresError} with the failures as its cause.
 */
export async function openPostgres(): Promise<OpenedPostgres> {
  const url = process.env['PG_URL']
  if (url) {
    await reply(url)
    return { url, origin: 'PG_URL', stop: () => Promise.resolve() }
  }
  const failures: unknown[] = []
  for (const open of [openContainer, openLocal]) {
    try {
      const opened = await open()
      if (opened) return opened
    } catch (error) {
      failures.push(error)
    }
  }
  throw new NoPostgresError({ cause: new AggregateError(failures) })
}

async function openContainer(): Promise<OpenedPostgres | null> {
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
  let stopping: Promise<unknown> | undefined
  const stop = async (): Promise<void> => {
    await (stopping ??= container.stop({ timeout: 0 }))
  }
  return { url, origin: 'a Docker container', stop }
}

async function openLocal(): Promise<OpenedPostgres> {
  const server = await startPostgres()
  return { url: server.url, origin: findPostgres(), stop: () => server.stop() }
}

/** Rejects with the cause if there is no server. */
async function reply(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    await client.end()
  }
}
