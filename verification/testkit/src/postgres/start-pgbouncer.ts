import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, open, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onPath } from '../find/probe-binary.js'
import { freePort } from '../free-port.js'
import { guard, scratchFolder, type ScratchFolder } from '../process/reaper.js'
import { isRunning, killProcess } from '../process/signals.js'
import { until } from '../until.js'
import { userForPostgres, type UserIds } from './find-postgres.js'
import type { PostgresServer } from './postgres-server.js'

/** A private PgBouncer in transaction mode in front of a test's server, on loopback. */
export interface PgBouncer extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Of the database `postgres`, as its superuser. */
  readonly url: string
  /** A new process on the same port, as an upgrade does it: all connections end. Resolves when it replies. */
  restart(): Promise<void>
  /** Resolves when statements get through to the server; rejects if none does within that time. */
  whenUp(timeoutMs: number): Promise<void>
  /** Ends the process. `restart` starts it again. */
  kill(): Promise<void>
  /** Ends it permanently and removes its files. A second call does nothing. */
  stop(): Promise<void>
}

/** The program, or `undefined` if it is not installed. Debian has it in a folder that is not on every PATH. */
export const findPgBouncer = (): string | undefined =>
  [...onPath('pgbouncer'), ...onPath('pgbouncer', '/usr/sbin')][0]

/** Where PgBouncer finds the server. */
type Address = Pick<PostgresServer, 'host' | 'port'>

/** Starts PgBouncer in front of the server; resolves when it replies. Throws if it is not installed. */
export async function startPgBouncer(server: Address): Promise<PgBouncer> {
  const program = findPgBouncer()
  if (program === undefined) throw new Error('no pgbouncer found: install it (apt-get install pgbouncer)')
  const user = await userForPostgres()
  const folder = await scratchFolder()
  const port = await freePort()
  const configFile = join(folder.path, 'pgbouncer.ini')
  await writeFile(configFile, configOf(server, port))
  if (user) {
    await chmod(dirname(folder.path), 0o711)
    await chown(folder.path, user.uid, user.gid)
  }
  const pgBouncer = new LocalPgBouncer(program, user, folder, port)
  try {
    await pgBouncer.start()
    return pgBouncer
  } catch (error) {
    await pgBouncer.stop()
    throw error
  }
}

const configOf = (server: Address, port: number): string => `[databases]
postgres = host=${server.host} port=${server.port} user=postgres dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 10
server_login_retry = 0.1
`

class LocalPgBouncer implements PgBouncer {
  readonly host = '127.0.0.1'
  readonly port: number
  readonly url: string
  readonly #program: string
  readonly #user: UserIds | null
  readonly #folder: ScratchFolder
  #child: ChildProcess | undefined

  constructor(program: string, user: UserIds | null, folder: ScratchFolder, port: number) {
    this.#program = program
    this.#user = user
    this.#folder = folder
    this.port = port
    this.url = `postgres://postgres@${this.host}:${port}/postgres`
  }

  async start(): Promise<void> {
    const { path } = this.#folder
    const logPath = join(path, 'pgbouncer.log')
    const log = await open(logPath, 'a')
    try {
      const child = spawn(this.#program, [join(path, 'pgbouncer.ini')], {
        ...this.#user,
        cwd: path,
        stdio: ['ignore', log.fd, log.fd],
      })
      this.#child = child
      guard(child)
      // A forgotten process must not keep ours alive; the reaper ends it.
      child.unref()
      await once(child, 'spawn')
      await until(async () => !isRunning(child) || (await this.#replies()), {
        what: `PgBouncer at ${this.url} to reply`,
        everyMs: 50,
      })
      if (!isRunning(child)) throw new Error(`PgBouncer ended:\n${await readFile(logPath, 'utf8')}`)
    } finally {
      await log.close()
    }
  }

  async restart(): Promise<void> {
    await this.kill()
    await this.start()
  }

  async whenUp(timeoutMs: number): Promise<void> {
    await until(() => this.#replies(), {
      what: `statements to get through ${this.url}`,
      timeoutMs,
      everyMs: 50,
    })
  }

  async kill(): Promise<void> {
    if (this.#child) await killProcess(this.#child)
  }

  async stop(): Promise<void> {
    await this.kill()
    await this.#folder.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #replies(): Promise<boolean> {
    const { Client } = await import('pg')
    const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 1_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query('select 1')
      return true
    } finally {
      await client.end()
    }
  }
}
