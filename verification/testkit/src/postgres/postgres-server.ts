import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { fillWithEmptyData } from '../find/kept-data.js'
import { NoServerError } from '../find/open-server.js'
import { childrenOf } from '../process/family.js'
import { guardPid } from '../process/reaper.js'
import {
  freezePid,
  freezeProcess,
  isRunning,
  killProcess,
  processExists,
  sendSignal,
  thawProcess,
} from '../process/signals.js'
import { LocalServer, loopback, startServer, type Launch, type Place } from '../server/local-server.js'
import { until } from '../until.js'
import { findPostgres, postgresKind, userForPostgres, type UserIds } from './find-postgres.js'
import type { QueryRow } from './query-at.js'
import { Statements } from './statements.js'

const run = promisify(execFile)

/** Small and quick: a machine that loses power is none of our tests. Whatever is shared lies in its folder. */
const commonSettings = {
  listen_addresses: loopback,
  max_connections: '300',
  shared_buffers: '32MB',
  dynamic_shared_memory_type: 'mmap',
  fsync: 'off',
  full_page_writes: 'off',
  log_line_prefix: '',
}

export interface PostgresSetUp {
  readonly settings: Readonly<Record<string, string>>
  /** Added to our own environment. */
  readonly env: Readonly<Record<string, string>>
}

export interface RestartPostgresOptions {
  /** As after a crash; otherwise after a clean shutdown. */
  readonly crash: boolean
  /** As a standby, which `pg_promote()` makes a primary. @defaultValue false */
  readonly isStandby?: boolean
}

export interface StartPostgresOptions {
  /** Settings, such as `{ log_statement: 'all' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a server; resolves when it replies. `fill` makes its data folder. */
export async function startPostgresWith(
  options: PostgresSetUp,
  fill: (server: PostgresServer) => Promise<void>,
): Promise<PostgresServer> {
  const programs = findPostgres()
  if (programs === null) throw new NoServerError(postgresKind)
  return startServer(async (place) => {
    const server = new PostgresServer(programs, await userForPostgres(), place, options)
    await fill(server)
    return server
  })
}

/** A private PostgreSQL for a test. */
export class PostgresServer extends LocalServer {
  /** Of the database `postgres`, as its superuser. */
  readonly url: string
  readonly #programs: string
  readonly #user: UserIds | null
  readonly #settings: Readonly<Record<string, string>>
  readonly #env: Readonly<Record<string, string>>
  readonly #statements: Statements
  /** What ends the guard of each process that is frozen, by its id. */
  readonly #frozen = new Map<number, () => void>()

  constructor(programs: string, user: UserIds | null, place: Place, { settings, env }: PostgresSetUp) {
    super('PostgreSQL', place)
    this.#programs = programs
    this.#user = user
    this.#settings = settings
    this.#env = env
    this.url = this.urlOf({})
    this.#statements = new Statements(this.url)
  }

  /** Makes an empty database cluster. */
  async init(): Promise<void> {
    await this.#makeFolder()
    const access = ['-U', 'postgres', '-A', 'trust']
    // Each server copies it: segments of 16 MB would be nearly half of that.
    const size = ['--wal-segsize=1']
    const args = ['-D', this.dataPath, ...access, '-E', 'UTF8', '--locale=C', '--no-sync', ...size]
    await fillWithEmptyData(this.dataPath, {
      server: 'postgres',
      program: join(this.#programs, 'initdb'),
      make: () => this.#run('initdb', args),
    })
  }

  /** Copies the cluster of a running primary, and makes this server its standby. What it had before is deleted. */
  async cloneFrom(primary: { readonly host: string; readonly port: number }): Promise<void> {
    await this.#makeFolder()
    const from = ['-h', primary.host, '-p', String(primary.port), '-U', 'postgres']
    await this.#run('pg_basebackup', [
      ...from,
      '-D',
      this.dataPath,
      '-X',
      'stream',
      '-c',
      'fast',
      '-R',
      '--no-sync',
    ])
  }

  /** The same as another role, or in another database. */
  urlOf({ role = 'postgres', database = 'postgres' }: { role?: string; database?: string }): string {
    return `postgres://${role}@${loopback}:${this.port}/${database}`
  }

  /** Runs SQL on a connection that only such statements have, and resolves with the rows of the last. */
  query(sql: string, values?: readonly unknown[]): Promise<QueryRow[]> {
    return this.#statements.run(sql, values)
  }

  /** Ends it by the signal of an immediate shutdown, as a crash would: it recovers at the next start. */
  async crash(): Promise<void> {
    this.#statements.disconnect()
    await super.kill('SIGQUIT')
  }

  /** Ends all its processes. */
  override async kill(): Promise<void> {
    const child = this.child
    if (!child?.pid || !isRunning(child)) return
    this.#statements.disconnect()
    // First of all it must not start any more processes.
    await freezeProcess(child)
    for (const pid of await childrenOf(child.pid)) sendSignal(pid, 'SIGKILL')
    await killProcess(child)
    this.#forgetFrozen()
    await this.#removeSharedMemory()
  }

  override async freeze(): Promise<void> {
    const child = this.child
    if (!child?.pid) return
    this.#statements.disconnect()
    await freezeProcess(child)
    const others = await childrenOf(child.pid)
    for (const pid of others) this.#frozen.set(pid, guardPid(pid))
    await Promise.all(others.map((pid) => freezePid(pid)))
  }

  override thaw(): void {
    for (const pid of this.#frozen.keys()) sendSignal(pid, 'SIGCONT')
    this.#forgetFrozen()
    if (this.child && isRunning(this.child)) thawProcess(this.child)
  }

  /** A new process on the same port. Resolves when it replies. */
  async restart({ crash, isStandby = false }: RestartPostgresOptions): Promise<void> {
    this.#statements.disconnect()
    const others = this.child?.pid === undefined ? [] : await childrenOf(this.child.pid)
    // SIGINT is a fast shutdown: connections end, and what is in memory is written.
    if (this.child) await killProcess(this.child, crash ? 'SIGQUIT' : 'SIGINT')
    // A process of the old server that is still ending keeps its memory in use, and the new one refuses to start.
    await untilGone(others)
    if (isStandby) {
      const signal = join(this.dataPath, 'standby.signal')
      await writeFile(signal, '')
      // Promotion removes it.
      await this.#own(signal)
    }
    await this.start()
  }

  override async stop(): Promise<void> {
    this.thaw()
    await this.crash()
    await this.folder.remove()
  }

  protected command(): Launch {
    const own = { port: String(this.port), unix_socket_directories: this.folder.path }
    const settings = Object.entries({ ...commonSettings, ...this.#settings, ...own })
    const args = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const program = join(this.#programs, 'postgres')
    return { program, args: ['-D', this.dataPath, ...args], env: this.#env, user: this.#user }
  }

  protected async isServing(): Promise<boolean> {
    await this.query('select 1')
    return true
  }

  async #makeFolder(): Promise<void> {
    await rm(this.dataPath, { recursive: true, force: true })
    await mkdir(this.dataPath, { mode: 0o700 })
    // The server's user has to get at its own folder.
    if (this.#user) await chmod(dirname(this.folder.path), 0o711)
    for (const path of [this.folder.path, this.dataPath]) await this.#own(path)
  }

  async #own(path: string): Promise<void> {
    if (this.#user) await chown(path, this.#user.uid, this.#user.gid)
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    await run(join(this.#programs, program), [...args], { ...this.#user, cwd: this.folder.path })
  }

  #forgetFrozen(): void {
    for (const unguard of this.#frozen.values()) unguard()
    this.#frozen.clear()
  }

  /** What a killed server leaves to the next one that starts on its files: none may. */
  async #removeSharedMemory(): Promise<void> {
    const lines = (await readFile(join(this.dataPath, 'postmaster.pid'), 'utf8')).split('\n')
    const [, id] = lines[6]?.trim().split(/\s+/) ?? []
    if (id !== undefined) await run('ipcrm', ['-m', id]).catch(() => undefined)
  }
}

async function untilGone(pids: readonly number[]): Promise<void> {
  const areGone = async (): Promise<boolean> => !(await Promise.all(pids.map(processExists))).includes(true)
  await until(areGone, { what: 'all processes of the old server to end', everyMs: 20 })
}

/**
 * Creates a database cluster and starts a server on it; resolves when it replies.
 *
 * Uses the programs on PATH, else those of Debian's package if it is installed. Throws `NoServerError` if there are none. Ignores PG_URL:
 * tests must not crash that server.
 */
export const startPostgres = ({ settings = {} }: StartPostgresOptions = {}): Promise<PostgresServer> =>
  startPostgresWith({ settings, env: {} }, (server) => server.init())
