import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { fillWithEmptyData } from '../find/kept-data.js'
import { freePort } from '../free-port.js'
import { childrenOf } from '../process/family.js'
import { guard, guardPid, scratchFolder, type ScratchFolder } from '../process/reaper.js'
import {
  freezePid,
  freezeProcess,
  isRunning,
  killProcess,
  processExists,
  sendSignal,
  thawProcess,
} from '../process/signals.js'
import { until } from '../until.js'
import { findPostgres, NoPostgresError, userForPostgres, type UserIds } from './find-postgres.js'
import type { PostgresServer, RestartPostgresOptions } from './postgres-server.js'
import type { QueryRow } from './query-at.js'
import { Statements } from './statements.js'

const run = promisify(execFile)
const host = '127.0.0.1'

/** Small and quick: a machine that loses power is none of our tests. Whatever is shared lies in its folder. */
const commonSettings = {
  listen_addresses: host,
  max_connections: '300',
  shared_buffers: '32MB',
  dynamic_shared_memory_type: 'mmap',
  fsync: 'off',
  full_page_writes: 'off',
  log_line_prefix: '',
}

export interface LocalPostgresOptions {
  readonly settings: Readonly<Record<string, string>>
  /** Added to our own environment. */
  readonly env: Readonly<Record<string, string>>
}

/** Another process may take the port that was free a moment ago. */
const portAttempts = 3

/** Starts a server; resolves when it replies. `fill` makes its data folder. */
export async function startLocalPostgres(
  options: LocalPostgresOptions,
  fill: (server: LocalPostgres) => Promise<void>,
): Promise<LocalPostgres> {
  const programs = findPostgres()
  if (programs === null) throw new NoPostgresError()
  for (let attemptsLeft = portAttempts; ; attemptsLeft -= 1) {
    const server = new LocalPostgres(programs, await userForPostgres(), await scratchFolder(), {
      ...options,
      port: await freePort(),
    })
    try {
      await fill(server)
      await server.start()
      return server
    } catch (error) {
      const isPortTaken = (await server.log().catch(() => '')).includes('Address already in use')
      await server.stop()
      if (!isPortTaken || attemptsLeft === 1) throw error
    }
  }
}

/** A server whose files are in a folder of its own. */
export class LocalPostgres implements PostgresServer {
  readonly host = host
  readonly port: number
  readonly url: string
  readonly #programs: string
  readonly #user: UserIds | null
  readonly #folder: ScratchFolder
  readonly #settings: Readonly<Record<string, string>>
  readonly #env: Readonly<Record<string, string>>
  readonly #statements: Statements
  #child: ChildProcess | undefined
  /** What ends the guard of each process that is frozen, by its id. */
  readonly #frozen = new Map<number, () => void>()

  constructor(
    programs: string,
    user: UserIds | null,
    folder: ScratchFolder,
    { port, settings, env }: LocalPostgresOptions & { readonly port: number },
  ) {
    this.#programs = programs
    this.#user = user
    this.#folder = folder
    this.port = port
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
    const args = ['-D', this.#data, ...access, '-E', 'UTF8', '--locale=C', '--no-sync', ...size]
    await fillWithEmptyData(this.#data, {
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
      this.#data,
      '-X',
      'stream',
      '-c',
      'fast',
      '-R',
      '--no-sync',
    ])
  }

  urlOf({ role = 'postgres', database = 'postgres' }: { role?: string; database?: string }): string {
    return `postgres://${role}@${this.host}:${this.port}/${database}`
  }

  query(sql: string, values?: readonly unknown[]): Promise<QueryRow[]> {
    return this.#statements.run(sql, values)
  }

  log(): Promise<string> {
    return readFile(this.#logPath, 'utf8')
  }

  async crash(): Promise<void> {
    this.#statements.disconnect()
    if (this.#child) await killProcess(this.#child, 'SIGQUIT')
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (!child?.pid || !isRunning(child)) return
    this.#statements.disconnect()
    // First of all it must not start any more processes.
    await freezeProcess(child)
    for (const pid of await childrenOf(child.pid)) sendSignal(pid, 'SIGKILL')
    await killProcess(child)
    this.#forgetFrozen()
    await this.#removeSharedMemory()
  }

  async freeze(): Promise<void> {
    const child = this.#child
    if (!child?.pid) return
    this.#statements.disconnect()
    await freezeProcess(child)
    const others = await childrenOf(child.pid)
    for (const pid of others) this.#frozen.set(pid, guardPid(pid))
    await Promise.all(others.map((pid) => freezePid(pid)))
  }

  thaw(): void {
    for (const pid of this.#frozen.keys()) sendSignal(pid, 'SIGCONT')
    this.#forgetFrozen()
    if (this.#child && isRunning(this.#child)) thawProcess(this.#child)
  }

  async restart({ crash, isStandby = false }: RestartPostgresOptions): Promise<void> {
    this.#statements.disconnect()
    const others = this.#child?.pid === undefined ? [] : await childrenOf(this.#child.pid)
    // SIGINT is a fast shutdown: connections end, and what is in memory is written.
    if (this.#child) await killProcess(this.#child, crash ? 'SIGQUIT' : 'SIGINT')
    // A process of the old server that is still ending keeps its memory in use, and the new one refuses to start.
    await untilGone(others)
    if (isStandby) {
      const signal = join(this.#data, 'standby.signal')
      await writeFile(signal, '')
      // Promotion removes it.
      await this.#own(signal)
    }
    await this.start()
  }

  async stop(): Promise<void> {
    this.thaw()
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
      const child = spawn(join(this.#programs, 'postgres'), ['-D', this.#data, ...args], {
        ...this.#user,
        env: { ...process.env, ...this.#env },
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
        everyMs: 50,
      })
      if (!isRunning(child))
        throw new Error(`PostgreSQL on port ${this.port} ended:\n${(await this.log()).slice(-2_000)}`)
    } finally {
      await log.close()
    }
  }

  get #data(): string {
    return join(this.#folder.path, 'data')
  }

  async #makeFolder(): Promise<void> {
    await rm(this.#data, { recursive: true, force: true })
    await mkdir(this.#data, { mode: 0o700 })
    // The server's user has to get at its own folder.
    if (this.#user) await chmod(dirname(this.#folder.path), 0o711)
    for (const path of [this.#folder.path, this.#data]) await this.#own(path)
  }

  async #own(path: string): Promise<void> {
    if (this.#user) await chown(path, this.#user.uid, this.#user.gid)
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    await run(join(this.#programs, program), [...args], { ...this.#user, cwd: this.#folder.path })
  }

  #forgetFrozen(): void {
    for (const unguard of this.#frozen.values()) unguard()
    this.#frozen.clear()
  }

  /** What a killed server leaves to the next one that starts on its files: none may. */
  async #removeSharedMemory(): Promise<void> {
    const lines = (await readFile(join(this.#data, 'postmaster.pid'), 'utf8')).split('\n')
    const [, id] = lines[6]?.trim().split(/\s+/) ?? []
    if (id !== undefined) await run('ipcrm', ['-m', id]).catch(() => undefined)
  }

  async #replies(): Promise<boolean> {
    await this.query('select 1')
    return true
  }

  get #logPath(): string {
    return join(this.#folder.path, 'postgres.log')
  }
}

async function untilGone(pids: readonly number[]): Promise<void> {
  const areGone = async (): Promise<boolean> => !(await Promise.all(pids.map(processExists))).includes(true)
  await until(areGone, { what: 'all processes of the old server to end', everyMs: 20 })
}
