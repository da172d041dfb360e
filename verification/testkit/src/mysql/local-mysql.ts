import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fillWithEmptyData } from '../find/kept-data.js'
import { guard, scratchFolder, type ScratchFolder } from '../process/reaper.js'
import { freezeProcess, isRunning, killProcess, thawProcess } from '../process/signals.js'
import { until } from '../until.js'
import { initializerOf } from './find-mysql.js'
import type { MysqlServer, RestartMysqlOptions } from './mysql-server.js'
import { queryMysqlAt, type MysqlRow } from './query-at.js'

const run = promisify(execFile)
const host = '127.0.0.1'
const database = 'app'

/** Data that are made with another size of the log cannot be used. */
const logSize = '--innodb-log-file-size=8M'
/** A machine that loses power is none of our tests: what the system has when the process ends is enough. */
const commonArgs = [
  ...[logSize, '--innodb-buffer-pool-size=32M', '--innodb-flush-log-at-trx-commit=2', '--skip-log-bin'],
  ...[`--bind-address=${host}`, '--skip-name-resolve', '--max-connections=300'],
]
/** It refuses to run as root unless it is told to. */
const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []

const argOf = ([name, value]: readonly [string, string]): string =>
  `--${name.replaceAll('_', '-')}${value === '' ? '' : `=${value}`}`

/** A server whose files are in a folder of its own. */
export class LocalMysql implements MysqlServer {
  readonly host = host
  readonly port: number
  readonly url: string
  readonly #program: string
  readonly #folder: ScratchFolder
  #settings: Readonly<Record<string, string>>
  #child: ChildProcess | undefined
  #isFrozen = false

  private constructor(
    program: string,
    folder: ScratchFolder,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.#program = program
    this.#folder = folder
    this.port = port
    this.#settings = settings
    this.url = this.urlOf({})
  }

  static async create(
    program: string,
    port: number,
    settings: Readonly<Record<string, string>>,
  ): Promise<LocalMysql> {
    return new LocalMysql(program, await scratchFolder(), port, settings)
  }

  /** Makes the data of an empty server. */
  async init(): Promise<void> {
    const data = this.#data
    await mkdir(data)
    const [program, ...args] = await initializerOf(this.#program, data)
    const make = async (): Promise<void> => {
      await run(program, [...args, logSize, ...asRoot], { cwd: this.#folder.path })
    }
    await fillWithEmptyData(data, { server: 'mysql', program, make })
  }

  get socketPath(): string {
    return join(this.#folder.path, 'sock')
  }

  urlOf({ user = 'root', database: name = database }: { user?: string; database?: string }): string {
    return `mysql://${user}@${this.host}:${this.port}/${name}`
  }

  query(sql: string, values?: readonly unknown[]): Promise<readonly MysqlRow[]> {
    return queryMysqlAt(this.url, sql, values)
  }

  log(): Promise<string> {
    return readFile(this.#logPath, 'utf8')
  }

  statements(): Promise<string> {
    return readFile(this.#statementsPath, 'utf8')
  }

  async kill(): Promise<void> {
    if (this.#child) await killProcess(this.#child)
    this.#isFrozen = false
  }

  async freeze(): Promise<void> {
    if (!this.#child) return
    await freezeProcess(this.#child)
    this.#isFrozen = true
  }

  thaw(): void {
    if (this.#child && this.#isFrozen && isRunning(this.#child)) thawProcess(this.#child)
    this.#isFrozen = false
  }

  async restart({ crash = false, settings = this.#settings }: RestartMysqlOptions = {}): Promise<void> {
    this.thaw()
    if (this.#child) await killProcess(this.#child, crash ? 'SIGKILL' : 'SIGTERM')
    this.#settings = settings
    await this.start()
  }

  async stop(): Promise<void> {
    await this.kill()
    await this.#folder.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async start(): Promise<void> {
    const { path } = this.#folder
    const log = await open(this.#logPath, 'a')
    try {
      const child = spawn(
        this.#program,
        [
          ...['--no-defaults', `--datadir=${this.#data}`, `--port=${this.port}`],
          ...[`--socket=${this.socketPath}`, `--pid-file=${join(path, 'pid')}`],
          ...[`--general-log-file=${this.#statementsPath}`, ...commonArgs, ...asRoot],
          ...Object.entries(this.#settings).map(argOf),
        ],
        { cwd: path, stdio: ['ignore', log.fd, log.fd] },
      )
      this.#child = child
      guard(child)
      // A forgotten server must not keep the process alive; the reaper ends it.
      child.unref()
      await once(child, 'spawn')
      await until(async () => !isRunning(child) || (await this.#replies()), {
        what: `MySQL on port ${this.port} to reply`,
        everyMs: 50,
      })
      if (!isRunning(child)) {
        throw new Error(`MySQL on port ${this.port} ended:\n${(await this.log()).slice(-2_000)}`)
      }
    } finally {
      await log.close()
    }
  }

  async #replies(): Promise<boolean> {
    await queryMysqlAt(this.urlOf({ database: '' }), `create database if not exists ${database}`)
    return true
  }

  get #data(): string {
    return join(this.#folder.path, 'data')
  }

  get #logPath(): string {
    return join(this.#folder.path, 'mysql.log')
  }

  get #statementsPath(): string {
    return join(this.#folder.path, 'statements.log')
  }
}
