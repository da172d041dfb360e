import { redisFromDocker as dockerReplies } from '../find/docker.js'
import { openFirst, stopping, type Step } from '../find/open-first.js'
import { uniqueName } from '../unique-name.js'
import { findMysql, NoMysqlError } from './find-mysql.js'
import { queryMysqlAt } from './query-at.js'
import { startMysql } from './start-mysql.js'

/** A MySQL or MariaDB from any source, with an empty database for its user: others may use the server, too. */
export interface OpenedMysql {
  readonly url: string
  /** Its source, for one line of output. */
  readonly origin: string
  /** Removes the database, and stops the server if we started it. A second call does nothing. */
  stop(): Promise<void>
}

const image = 'mariadb:11.4'

/**
 * A database on the server that MYSQL_URL names, whose user may create some, else on the first that a step opens: a container if
 * Docker is running, the program on this machine.
 *
 * A source that does not start is skipped, except for MYSQL_URL: if set, it names the only server to use. Throws
 * {@link NoMysqlError} with the failures as its cause.
 */
export async function openMysql(
  steps: readonly Step<OpenedMysql>[] = [mysqlFromDocker, mysqlFromProgram],
): Promise<OpenedMysql> {
  const given = process.env['MYSQL_URL']
  if (!given) return openFirst(steps, (details) => new NoMysqlError(details))
  const name = uniqueName('holdfast').toLowerCase()
  const database = new URL(given)
  database.pathname = name
  await queryMysqlAt(given, `create database \`${name}\``)
  const stop = async (): Promise<void> => {
    await queryMysqlAt(given, `drop database if exists \`${name}\``)
  }
  return { url: database.href, origin: 'MYSQL_URL', stop }
}

export async function mysqlFromDocker(): Promise<OpenedMysql | null> {
  if (!(await dockerReplies())) return null
  // Loaded on demand: it takes a good part of a second, and most runs never need it.
  const { GenericContainer, Wait } = await import('testcontainers')
  const container = await new GenericContainer(image)
    .withEnvironment({ MARIADB_ALLOW_EMPTY_ROOT_PASSWORD: '1', MARIADB_DATABASE: 'app' })
    .withExposedPorts(3306)
    // It starts twice: first to create the database.
    .withWaitStrategy(Wait.forLogMessage('ready for connections', 2))
    .start()
  const url = `mysql://root@${container.getHost()}:${container.getMappedPort(3306)}/app`
  return { url, origin: 'a Docker container', stop: stopping(container) }
}

/** The program on this machine. */
export async function mysqlFromProgram(): Promise<OpenedMysql | null> {
  const program = findMysql()
  if (program === null) return null
  const server = await startMysql()
  return { url: server.url, origin: program, stop: () => server.stop() }
}
