import {
  checkNames,
  checkObject,
  checkOptions,
  checkValues,
  InvalidArgumentError,
  kindOf,
  shown,
  urlMistake,
} from '@holdfast/core/engine'
import type { ConnectionOptions } from 'mysql2'
import { known } from './connection/known-options.js'
import { checkByMysql2 } from './connection/mysql-connection.js'
import { toError } from './errors.js'

/** The database, by one of two. */
type MysqlSource =
  | {
      /**
       * Of the database, such as `mysql://app@db.internal/app`, with the parameters that `mysql2` knows. Leads to the primary, also
       * after a failover. Either this or `config`.
       */
      readonly url: string
      readonly config?: undefined
    }
  | {
      /**
       * Instead of `url`: the options that `mysql2` takes for a connection or a pool, such as `host`, `database`, `ssl` or
       * `socketPath`. Connections of the application are not used.
       */
      readonly config: object
      readonly url?: undefined
    }

/** Options of `mysql` wherever the database is. */
export interface MysqlTableOptions {
  /**
   * The table of the locks: clients that use the same one of the same database share locks. Up to 48 lower-case letters, digits and
   * underscores.
   *
   * @defaultValue 'holdfast'
   */
  readonly table?: string
  /**
   * Between which bounds, milliseconds, the time is drawn after which the next in line looks whether it is its turn. Longer ones cost
   * less, and hand a lock on later. From 5 to 10 000 each.
   *
   * @defaultValue [20, 40]
   */
  readonly pollMs?: readonly [shortest: number, longest: number]
  /**
   * `true`: waiters get a lock in the order of arrival, and there are read/write locks, semaphores and latches. `false`: whoever
   * looks first gets it, and there are locks only.
   *
   * @defaultValue true
   */
  readonly queue?: boolean
  /**
   * `auto`: creates the table at first use. `check`: refuses a database without it, for those who run `migrationSql()` by other
   * means.
   *
   * @defaultValue 'auto'
   */
  readonly migrate?: 'auto' | 'check'
}

/** Where MySQL or MariaDB is, and how its locks are kept. */
export type MysqlOptions = MysqlSource & MysqlTableOptions

/** The options with their defaults. */
export interface MysqlSettings {
  readonly config: ConnectionOptions
  /** In messages: never with a user or a password. */
  readonly name: string
  readonly database: string
  readonly table: string
  readonly pollMs: readonly [shortest: number, longest: number]
  readonly queue: boolean
  readonly migrate: 'auto' | 'check'
}

const knownOptions: ReadonlySet<string> = new Set(['url', 'config', 'table', 'pollMs', 'queue', 'migrate'])

const asUrl = "; pass the URL of the database as mysql({ url: 'mysql://127.0.0.1/app' })"
const asConfig = '; pass the options it was made of as mysql({ config })'

/** @throws `InvalidArgumentError` naming the option, what was given and what is allowed */
export function resolveOptions(given: MysqlOptions): MysqlSettings {
  checkObject(given, wayOf(given))
  checkOptions(given, knownOptions, 'pool' in given || 'connection' in given ? asConfig : '')
  const { url, config, table = 'holdfast', pollMs = [20, 40], queue = true, migrate = 'auto' } = given
  if ((url === undefined) === (config === undefined)) {
    const what = url === undefined ? 'neither' : 'both'
    throw new InvalidArgumentError(`mysql needs exactly one of url and config, got ${what}`)
  }
  const source = config === undefined ? optionsOf('url', url) : configOf(config)
  checkTable(table)
  checkPoll(pollMs)
  if (typeof queue !== 'boolean') refuse('queue', queue, 'true or false')
  if (!['auto', 'check'].includes(migrate)) refuse('migrate', migrate, "'auto' or 'check'")
  checkUse(config === undefined ? 'url' : 'config', source)
  const { database } = source
  if (database === undefined || database === '') {
    const [option, example] =
      config === undefined ? ['url', 'mysql://127.0.0.1/app'] : ['config', "{ database: 'app' }"]
    throw new InvalidArgumentError(`${option} must name a database, as in ${example}`)
  }
  return { config: source, name: nameOf(source, database), database, table, pollMs, queue, migrate }
}

/** How to give what is no options. */
function wayOf(given: unknown): string {
  const kind = kindOf(given)
  if (kind.endsWith(' of mysql2')) return asConfig
  if (kind === 'a Holdfast client') return '; pass what mysql() returns as new Holdfast({ engine })'
  return asUrl
}

export function checkTable(table: unknown): void {
  if (typeof table === 'string' && /^[a-z_][a-z0-9_]{0,47}$/.test(table)) return
  refuse('table', table, 'up to 48 lower-case letters, digits and underscores')
}

function checkPoll(given: readonly unknown[]): void {
  const isBound = (ms: unknown): ms is number =>
    Number.isInteger(ms) && Number(ms) >= 5 && Number(ms) <= 10_000
  if (Array.isArray(given) && given.length === 2 && given.every(isBound)) {
    const [shortest = 0, longest = 0] = given.map(Number)
    if (shortest <= longest) return
  }
  refuse('pollMs', given, 'two integers from 5 to 10000, the shorter one first')
}

/** Connections of the application are not used, and other objects of a class would be taken for no options. */
function configOf(config: unknown): ConnectionOptions {
  const kind = kindOf(config)
  if (typeof config !== 'object' || config === null || kind !== 'an object') {
    const way = kind.endsWith(' of mysql2') ? asConfig : ''
    throw new InvalidArgumentError(`config must be an object of options for mysql2, got ${kind}${way}`)
  }
  checkNames(config, Object.keys(known), 'config', elsewhere, advice)
  checkValues(config, known, (name) => `config.${name}`)
  const { uri, ...own } = config as ConnectionOptions
  return uri === undefined ? own : { ...optionsOf('config.uri', uri), ...own }
}

/** What else `mysql2` wants of options it throws when a connection begins: a character set, a profile of TLS. */
function checkUse(option: string, config: ConnectionOptions): void {
  try {
    checkByMysql2(config)
  } catch (cause) {
    if (cause instanceof InvalidArgumentError) throw cause
    throw new InvalidArgumentError(`${option} cannot be used by mysql2: ${toError(cause).message}`, { cause })
  }
}

/** What other libraries call it, with what to do here. */
const elsewhere: Readonly<Record<string, string>> = {
  url: '; pass the URL as mysql({ url })',
  connectionString: '; pass the URL as mysql({ url })',
  client: '; pass the value of connection in place of the object',
  connection: '; pass its value in place of the object',
  username: ' (did you mean user?)',
  dbname: ' (did you mean database?)',
  hostname: ' (did you mean host?)',
  sslmode: ' (did you mean ssl? as in ssl: {}, or ?ssl={} in a URL)',
}

const advice = '; valid are the options of mysql2, such as host, port, user, password, database and ssl'

/** Of a URL, as `mysql2` reads it; and an error instead of what it would print. */
function optionsOf(option: string, url: unknown): ConnectionOptions {
  if (typeof url !== 'string' || !/^(mysql|mariadb):\/\//i.test(url)) {
    // Not the text itself: it may contain a password.
    const way = url instanceof URL ? '; pass its href' : otherWay(url)
    throw new InvalidArgumentError(
      `${option} must be a string that starts with mysql:// or mariadb://, got ${kindOf(url)}${way}`,
    )
  }
  // A slash or a question mark in a password ends the host before the `@`.
  const isReadable = URL.canParse(url) && !/#.*@|^[^/]*\/\/[^/?]*\/[^?]*@/.test(url)
  if (!isReadable) throw new InvalidArgumentError(`${option} is not a valid URL: ${urlMistake(url)}`)
  const { hostname, port, pathname, username, password, searchParams } = new URL(url)
  const parameters = Object.fromEntries([...searchParams].map(([name, value]) => [name, parsed(value)]))
  checkNames(parameters, Object.keys(known), option, elsewhere, advice)
  checkValues(parameters, known, (name) => `${name} in ${option}`)
  return {
    ...parameters,
    ...(hostname === '' ? {} : { host: decoded(hostname.replace(/^\[|\]$/g, '')) }),
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' ? {} : { user: decoded(username) }),
    ...(password === '' ? {} : { password: decoded(password) }),
    ...(pathname.length > 1 ? { database: decoded(pathname.slice(1)) } : {}),
  }

  function decoded(text: string): string {
    try {
      return decodeURIComponent(text)
    } catch (cause) {
      throw new InvalidArgumentError(`${option} is not a valid URL: ${urlMistake(`mysql://@`)}`, { cause })
    }
  }
}

/** As JSON, or as the text that it is. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

function otherWay(url: unknown): string {
  if (typeof url !== 'string') return ''
  if (/^rediss?:/i.test(url)) return '; locks on Redis need no engine: new Holdfast({ redis })'
  return /^postgres(ql)?:/i.test(url) ? '; locks in PostgreSQL are those of @holdfast/stores/postgres' : ''
}

function nameOf(
  { host = 'localhost', port = 3306, socketPath }: ConnectionOptions,
  database: string,
): string {
  const place = socketPath ?? `${host.includes(':') ? `[${host}]` : host}:${port}`
  return `MySQL at ${place}/${database}`
}

function refuse(option: string, given: unknown, allowed: string): never {
  throw new InvalidArgumentError(`${option} must be ${allowed}, got ${shown(given)}`)
}
