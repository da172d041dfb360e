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
import type { Database } from './connection/connection.js'
import { known } from './connection/known-options.js'
import { pgDatabase, type PgSource } from './connection/pg-database.js'
import { pgliteDatabase, type PGliteDatabase } from './connection/pglite.js'
import type { TableKind } from './sql/tables.js'

/** The database, by one of three: a URL, options of `pg`, or PGlite. */
type PostgresSource =
  | {
      /**
       * Of the database, such as `postgres://app@db.internal/app`, with the parameters that `pg` knows (`sslmode`, …). Leads to the
       * primary, also after a failover. Either this, `config` or `pglite`.
       */
      readonly url: string
      readonly config?: undefined
      readonly pglite?: undefined
    }
  | {
      /**
       * Instead of `url`: the options that `pg` takes for a connection, such as `host`, `ssl` or a `password` function. Those of a
       * pool will do (`pool.options`): its connections are not used.
       */
      readonly config: object
      readonly url?: undefined
      readonly pglite?: undefined
    }
  | {
      /**
       * Instead of `url`: a `PGlite` database of `@electric-sql/pglite`, which is PostgreSQL inside this process, for demos and
       * tests. Its locks are shared by all clients that get the same object. They never close it.
       */
      readonly pglite: PGliteDatabase
      readonly url?: undefined
      readonly config?: undefined
    }

/** Options of `postgres` wherever the database is. */
export interface PostgresSchemaOptions {
  /**
   * A URL that leads to the same database past PgBouncer, for notifications: in transaction mode PgBouncer delivers none.
   *
   * @defaultValue `url` or `config`
   */
  readonly listenUrl?: string
  /**
   * The schema of the tables and functions: clients that use the same one of the same database share locks. Up to 48 lower-case
   * letters, digits and underscores.
   *
   * @defaultValue 'holdfast'
   */
  readonly schema?: string
  /**
   * `unlogged`: a crash or failover loses all locks, as with Redis. `logged`: they survive a crash, and a failover as far as
   * the standby has them; each step then waits for the disk, as `synchronous_commit` has it.
   *
   * Decides how the tables are created. Existing ones of the other kind are refused.
   *
   * @defaultValue 'unlogged'
   */
  readonly tables?: 'unlogged' | 'logged'
  /**
   * How many standbys must have each step before it counts, renewals included: then a failover to one of them loses no
   * hold. Needs `tables: 'logged'`, and a primary whose `synchronous_standby_names` and `synchronous_commit` make it wait
   * for that many. That is checked on each connection and with each renewal of this client's registration; a primary that
   * does not wait is refused. Give it to every client of the schema: one without it may hand the lock on without waiting.
   *
   * While too few standbys are connected every step fails: holds are lost at their deadline, and nobody gets in.
   *
   * @defaultValue 0: the primary alone
   */
  readonly minReplicas?: number
  /**
   * `auto`: creates or updates the schema at first use. `check`: refuses a schema that is missing or out of date, for those
   * who run {@link migrationSql} by other means.
   *
   * @defaultValue 'auto'
   */
  readonly migrate?: 'auto' | 'check'
}

/** Where PostgreSQL is, and how its tables are kept. Standbys have `logged` tables only. */
export type PostgresOptions = PostgresSource &
  PostgresSchemaOptions &
  ({ readonly tables: 'logged' } | { readonly minReplicas?: 0 })

/** The options with their defaults. */
export interface PostgresSettings {
  readonly database: Database
  readonly schema: string
  readonly tables: TableKind
  readonly minReplicas: number
  readonly migrate: 'auto' | 'check'
}

const knownOptions: ReadonlySet<string> = new Set([
  'url',
  'config',
  'pglite',
  'listenUrl',
  'schema',
  'tables',
  'minReplicas',
  'migrate',
])

/** @throws `InvalidArgumentError` naming the option, what was given and what is allowed */
export function resolveOptions(given: PostgresOptions): PostgresSettings {
  checkObject(given, wayOf(given))
  checkOptions(given, knownOptions, wayOfPg(given))
  const { schema = 'holdfast', tables = 'unlogged', minReplicas = 0, migrate = 'auto' } = given
  const database = databaseOf(given)
  checkSchema(schema)
  oneOf('tables', tables, ['unlogged', 'logged'])
  oneOf('migrate', migrate, ['auto', 'check'])
  checkReplicas(minReplicas, tables)
  return { database, schema, tables, minReplicas, migrate }
}

/** How to give options under the names that `pg` has for them. */
function wayOfPg(given: object): string {
  if ('connectionString' in given) return '; pass the URL as postgres({ url })'
  return 'pool' in given ? '; pass postgres({ config: pool.options })' : ''
}

/** How to give what is no options. */
function wayOf(given: unknown): string {
  const kind = kindOf(given)
  if (isPGlite(given)) return '; pass postgres({ pglite })'
  if (kind === 'a pool of pg') return '; pass postgres({ config: pool.options })'
  if (kind === 'a Holdfast client') return '; pass what postgres() returns as new Holdfast({ engine })'
  return '; pass the URL of the database as postgres({ url })'
}

function databaseOf({ url, config, pglite, listenUrl }: PostgresOptions): Database {
  const given = Object.entries({ url, config, pglite }).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  )
  if (given.length !== 1) {
    const what = given.join(' and ') || 'none of them'
    throw new InvalidArgumentError(`postgres needs exactly one of url, config and pglite, got ${what}`)
  }
  if (pglite !== undefined) {
    if (!isPGlite(pglite)) refuse('pglite', pglite, 'a PGlite database')
    if (listenUrl !== undefined) throw new InvalidArgumentError('listenUrl has no meaning with pglite')
    return pgliteDatabase(pglite)
  }
  const main = config === undefined ? sourceOf('url', url) : configOf(config)
  return pgDatabase(main, listenUrl === undefined ? main : sourceOf('listenUrl', listenUrl))
}

/** Connections of the application are not used, and other objects of a class would be taken for no options: a local database. */
function configOf(config: unknown): PgSource {
  const kind = kindOf(config)
  if (typeof config !== 'object' || config === null || kind !== 'an object') {
    const way = kind === 'a pool of pg' ? '; pass config: pool.options' : ''
    throw new InvalidArgumentError(`config must be an object of options for pg, got ${kind}${way}`)
  }
  checkNames(config, Object.keys(known), 'config', elsewhere, advice)
  checkValues(config, known, (name) => `config.${name}`)
  const url: unknown = Reflect.get(config, 'connectionString')
  // Or a path to a socket.
  const isPath = typeof url === 'string' && /^(?:\/|socket:)/.test(url)
  if (url !== undefined && url !== null && !isPath) sourceOf('config.connectionString', url)
  return { config, option: 'config' }
}

/** What other libraries call it, with what to do here. */
const elsewhere: Readonly<Record<string, string>> = {
  url: '; pass the URL as postgres({ url })',
  uri: '; pass the URL as postgres({ url })',
  client: '; pass the value of connection in place of the object',
  connection: '; pass its value in place of the object',
  username: ' (did you mean user?)',
  dbname: ' (did you mean database?)',
  hostname: ' (did you mean host?)',
  sslmode: ' (did you mean ssl?)',
}

const advice = '; valid are the options of pg, such as host, port, user, password, database and ssl'

const isPGlite = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'query' in given && 'listen' in given && 'waitReady' in given

export function checkSchema(schema: unknown): void {
  if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,47}$/.test(schema)) {
    refuse('schema', schema, 'up to 48 lower-case letters, digits and underscores')
  }
  if (/^(pg_|information_schema$)/.test(schema))
    refuse('schema', schema, 'none of those of PostgreSQL itself')
}

export function oneOf(option: string, given: string, allowed: readonly string[]): void {
  if (!allowed.includes(given)) refuse(option, given, allowed.map((each) => `'${each}'`).join(' or '))
}

function checkReplicas(minReplicas: number, tables: TableKind): void {
  if (!Number.isSafeInteger(minReplicas) || minReplicas < 0) {
    refuse('minReplicas', minReplicas, 'an integer of at least 0')
  }
  if (minReplicas === 0 || tables === 'logged') return
  throw new InvalidArgumentError("minReplicas needs tables: 'logged': unlogged tables are not replicated")
}

function sourceOf(option: string, url: unknown): PgSource {
  if (typeof url === 'string' && /^postgres(ql)?:\/\//i.test(url)) {
    if (isReadable(url)) return { config: { connectionString: url }, option }
    throw new InvalidArgumentError(`${option} is not a valid URL: ${urlMistake(url)}`)
  }
  // Not the text itself: it may contain a password.
  const way = url instanceof URL ? '; pass its href' : redisWay(url)
  throw new InvalidArgumentError(
    `${option} must be a string that starts with postgres:// or postgresql://, got ${kindOf(url)}${way}`,
  )
}

/** As `pg` reads it: without a host it is a path to a socket. A password may hide an `@` behind what then looks like the path. */
const isReadable = (url: string): boolean =>
  !/#.*@|^[^/]*\/\/[^/?]*\/[^?]*@/.test(url) &&
  (URL.canParse(url) || URL.canParse(url.replace('@/', '@host/')))

const redisWay = (url: unknown): string =>
  typeof url === 'string' && /^rediss?:/i.test(url)
    ? '; locks on Redis need no engine: new Holdfast({ redis })'
    : ''

function refuse(option: string, given: unknown, allowed: string): never {
  throw new InvalidArgumentError(`${option} must be ${allowed}, got ${shown(given)}`)
}
