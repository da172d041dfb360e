import { execFile } from 'node:child_process'
import { readFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fillWithEmptyData } from '../find/kept-data.js'
import { NoServerError } from '../find/open-server.js'
import { LocalServer, loopback, startServer, type Launch, type Place } from '../server/local-server.js'
import { findMysql, initializerOf, mysqlKind } from './find-mysql.js'
import { queryMysqlAt, type MysqlRow } from './query-at.js'

const run = promisify(execFile)
const database = 'app'

/** Data that are made with another size of the log cannot be used. */
const logSize = '--innodb-log-file-size=8M'
/** A machine that loses power is none of our tests: what the system has when the process ends is enough. */
const commonArgs = [
  ...[logSize, '--innodb-buffer-pool-size=32M', '--innodb-flush-log-at-trx-commit=2', '--skip-log-bin'],
  ...[`--bind-address=${loopback}`, '--skip-name-resolve', '--max-connections=300'],
]
/** It refuses to run as root unless it is told to. */
const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []

const argOf = ([name, value]: readonly [string, string]): string =>
  `--${name.replaceAll('_', '-')}${value === '' ? '' : `=${value}`}`

export interface RestartMysqlOptions {
  /** As after a crash; otherwise after a clean shutdown. @defaultValue false */
  readonly crash?: boolean
  /** Instead of those before. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface StartMysqlOptions {
  /** Settings, such as `{ read_only: 'on' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A private MySQL or MariaDB for a test. */
export class MysqlServer extends LocalServer {
  /** Of the database `app`, as the user who may do everything. */
  readonly url: string
  readonly #program: string
  #settings: Readonly<Record<string, string>>

  constructor(program: string, place: Place, settings: Readonly<Record<string, string>>) {
    super('MySQL', place)
    this.#program = program
    this.#settings = settings
    this.url = this.urlOf({})
  }

  /** Makes the data of an empty server. */
  async init(): Promise<this> {
    await mkdir(this.dataPath)
    const [program, ...args] = await initializerOf(this.#program, this.dataPath)
    const make = async (): Promise<void> => {
      await run(program, [...args, logSize, ...asRoot], { cwd: this.folder.path })
    }
    await fillWithEmptyData(this.dataPath, { server: 'mysql', program, make })
    return this
  }

  /** The path of its socket. */
  get socketPath(): string {
    return join(this.folder.path, 'sock')
  }

  /** The same as another user, or for another database. */
  urlOf({ user = 'root', database: name = database }: { user?: string; database?: string }): string {
    return `mysql://${user}@${loopback}:${this.port}/${name}`
  }

  /** Runs one statement on a connection of its own, and resolves with its rows. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly MysqlRow[]> {
    return queryMysqlAt(this.url, sql, values)
  }

  /** The statements that were sent so far, if it was started with `general_log: 'on'`. */
  statements(): Promise<string> {
    return readFile(this.#statementsPath, 'utf8')
  }

  /** A new process on the same port. Resolves when it replies. */
  async restart({ crash = false, settings = this.#settings }: RestartMysqlOptions = {}): Promise<void> {
    this.thaw()
    await this.kill(crash ? 'SIGKILL' : 'SIGTERM')
    this.#settings = settings
    await this.start()
  }

  protected command(): Launch {
    return {
      program: this.#program,
      args: [
        ...['--no-defaults', `--datadir=${this.dataPath}`, `--port=${this.port}`],
        ...[`--socket=${this.socketPath}`, `--pid-file=${join(this.folder.path, 'pid')}`],
        ...[`--general-log-file=${this.#statementsPath}`, ...commonArgs, ...asRoot],
        ...Object.entries(this.#settings).map(argOf),
      ],
    }
  }

  protected async isServing(): Promise<boolean> {
    await queryMysqlAt(this.urlOf({ database: '' }), `create database if not exists ${database}`)
    return true
  }

  get #statementsPath(): string {
    return join(this.folder.path, 'statements.log')
  }
}

/**
 * Starts a server of its own; resolves when it replies.
 *
 * Uses `mariadbd` or `mysqld`. Throws `NoServerError` if there is neither. Ignores MYSQL_URL: tests must not crash that server.
 */
export async function startMysql({ settings = {} }: StartMysqlOptions = {}): Promise<MysqlServer> {
  const program = findMysql()
  if (program === null) throw new NoServerError(mysqlKind)
  return startServer((place) => new MysqlServer(program, place, settings).init())
}
