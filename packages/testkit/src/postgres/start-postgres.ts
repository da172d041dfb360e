import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client, type QueryResult } from 'pg'
import { freePort } from '../free-port.js'
import { guard, scratchFolder, type ScratchFolder } from '../process/reaper.js'
import { isRunning, killProcess } from '../process/signals.js'
import { until } from '../until.js'
import { findPostgres, userForPostgres, type UserIds } from './find-postgres.js'
import type { PostgresServer, RestartPostgresOptions, StartPostgresOptions } from './postgres-server.js'

const run = promisify(execFile)
const host = '127.0.0.1'

/** Small and quick: a machine that loses power is none of our tests. */
const commonSettings = {
  listen_addresses: host,
  max_connections: '300',
  shared_buffers: '32MB',
  fsync: 'off',
  full_page_writes: 'off',
  log_line_prefix: '',
}

/** Creates a database cluster and starts a server on it; resolves when it replies. Throws if there is no PostgreSQL. */
export async function startPostgres({ settings = {} }: StartPostgresOptions = {}): Promise<PostgresServer> {
  const programs = findPostgres()
  const user = await userForPostgres()
  const folder = await scratchFolder()
  const data = join(folder.path, 'data')
  await mkdir(data, { mode: 0o700 })
  if (user) {
    // The server's user has to get at its own folder.
    await chmod(dirname(folder.path), 0o711)
    for (const path of [folder.path, data]) await chown(path, user.uid, user.gid)
  }
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await run(join(programs, 'initdb'), args, { ...user, cwd: folder.path })
  const server = new LocalPostgres(programs, user, folder, await freePort(), settings)
  try {
    await server.start()
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

class LocalPostgres implements PostgresServer {
  readonly host = host
  readonly port: number
  readonly url: string
  readonly #programs: string
  readonly #user: UserIds | null
  readonly #folder: ScratchFolder
  readonly #settings: Readonly<Record<string, string>>
  #child: ChildProcess | undefined

  constructor(
    programs: string,
    user: UserIds | null,
    folder: ScratchFolder,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.#programs = programs
    this.#user = user
    this.#folder = folder
    this.port = port
    this.#settings = settings
    this.url = this.urlOf({})
  }

  urlOf({ role = 'postgres', database = 'postgres' }: { role?: string; database?: string }): string {
    return `postgres://${role}@${this.host}:${this.port}/${database}`
  }

  async query(sql: string, values?: readonly unknown[]): Promise<Readonly<Record<string, unknown>>[]> {
    const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return rowsOf(await client.query<QueryRow>(sql, values && [...values]))
    } finally {
      await client.end()
    }
  }

  log(): Promise<string> {
    return readFile(this.#logPath, 'utf8')
  }

  async crash(): Promise<void> {
    if (this.#child) await killProcess(this.#child, 'SIGQUIT')
  }

  async restart({ crash, isStandby = false }: RestartPostgresOptions): Promise<void> {
    // SIGINT is a fast shutdown: connections end, and what is in memory is written.
    if (this.#child) await killProcess(this.#child, crash ? 'SIGQUIT' : 'SIGINT')
    if (isStandby) {
      const signal = join(this.#folder.path, 'data', 'standby.signal')
      await writeFile(signal, '')
      // Promotion removes it.
      if (this.#user) await chown(signal, this.#user.uid, this.#user.gid)
    }
    await this.start()
  }

  async stop(): Promise<void> {
    await this.crash()
    await this.#folder.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async start(): Promise<void> {
    const { path } = this.#folder
    const own = { port: String(this.port), unix_socket_directories: path }
    const settings = Object.entries({ ...commonSettings, ...this.#settings, ...own })
    const args = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const log = await open(this.#logPath, 'a')
    try {
      const child = spawn(join(this.#programs, 'postgres'), ['-D', join(path, 'data'), ...args], {
        ...this.#user,
        cwd: path,
        stdio: ['ignore', log.fd, log.fd],
      })
      this.#child = child
      guard(child)
      // A forgotten server must not keep the process alive; the reaper ends it.
      child.unref()
      await once(child, 'spawn')
      await until(async () => !isRunning(child) || (await this.#replies()), {
        what: `PostgreSQL on port ${this.port} to reply`,
        timeoutMs: 20_000,
        everyMs: 50,
      })
      if (!isRunning(child))
        throw new Error(`PostgreSQL on port ${this.port} ended:\n${(await this.log()).slice(-2_000)}`)
    } finally {
      await log.close()
    }
  }

  async #replies(): Promise<boolean> {
    await this.query('select 1')
    return true
  }

  get #logPath(): string {
    return join(this.#folder.path, 'postgres.log')
  }
}

type QueryRow = Readonly<Record<string, unknown>>

/** Of several statements, the result of each is in a list. */
function rowsOf(result: QueryResult<QueryRow> | readonly QueryResult<QueryRow>[]): QueryRow[] {
  return ('rows' in result ? result : result.at(-1))?.rows ?? []
}
