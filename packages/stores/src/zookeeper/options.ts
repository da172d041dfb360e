import type { ConnectionOptions } from 'node:tls'
import { checkObject, checkOptions, InvalidArgumentError, kindOf, shown } from '@holdfast/core/engine'

/** Who may do what with nodes that Holdfast makes. */
export interface Acl {
  /** Letters of `rwcda`: read, write, create, delete, administer. All clients of the locks need the first four. */
  readonly permissions: string
  /** Such as `world`, `digest`, `auth` or `ip`. */
  readonly scheme: string
  /** Such as `anyone`, or `''` with the scheme `auth`. */
  readonly id: string
}

/** Who this client is. */
export interface Auth {
  /** Such as `digest`. */
  readonly scheme: string
  /** Such as `user:password`. */
  readonly auth: string
}

/** Where ZooKeeper is, and who this client is there. */
export interface ZooKeeperOptions {
  /**
   * The servers, as `host:port,host:port/path`: without a port 2181; with a path, which must exist, everything is kept below it. Clients that
   * name the same ensemble and path share locks.
   */
  readonly connect: string
  /**
   * How long the session of a client lives after its last word, milliseconds, at least six ticks: so long a rival of a dead client waits.
   * Servers grant between 2 and 20 of their ticks unless configured otherwise; what they grant is what counts.
   *
   * @defaultValue the client's `watchdogTimeoutMs`
   */
  readonly sessionTimeoutMs?: number
  /** @defaultValue none */
  readonly auth?: readonly Auth[]
  /**
   * Of the nodes that are made.
   *
   * @defaultValue everyone may do everything
   */
  readonly acl?: readonly Acl[]
  /** Options of `tls.connect`, such as `ca`, `cert` and `key`; `true` for none. @defaultValue no TLS */
  readonly tls?: ConnectionOptions | true
  /**
   * The `tickTime` of the servers, milliseconds. A holder stops claiming its hold one tick before its session may end, and leases and
   * sessions of fewer than six are refused.
   *
   * @defaultValue 2000
   */
  readonly tickMs?: number
}

/** Where one server is. */
export interface Server {
  readonly host: string
  readonly port: number
}

/** The options, checked. */
export interface Settings {
  readonly servers: readonly Server[]
  /** '' or a path without a slash at its end. */
  readonly root: string
  readonly sessionTimeoutMs: number | undefined
  readonly auth: readonly Auth[]
  readonly acl: readonly Acl[]
  readonly tls: ConnectionOptions | undefined
  readonly tickMs: number
}

const known: ReadonlySet<string> = new Set(['connect', 'sessionTimeoutMs', 'auth', 'acl', 'tls', 'tickMs'])
const everyone: readonly Acl[] = [{ permissions: 'rwcda', scheme: 'world', id: 'anyone' }]
const defaultPort = 2181
const longestMs = 2 ** 31 - 1
/**
 * A holder stops claiming its hold one tick before its session ends, counts that from a tick before its last write, and renews it
 * every third of the session: shorter ones would not last from one renewal to the next.
 */
export const fewestTicks = 6

/** @throws `InvalidArgumentError` naming the option, what was given and what is allowed */
export function resolveOptions(given: ZooKeeperOptions): Settings {
  const way = '; pass the servers as zookeeper({ connect })'
  checkObject(given, way)
  checkOptions(given, known, way)
  const { connect, sessionTimeoutMs, auth = [], acl = everyone, tls, tickMs = 2_000 } = given
  checkMs('tickMs', tickMs)
  if (sessionTimeoutMs !== undefined) checkSession(sessionTimeoutMs, tickMs)
  checkAuth(auth)
  checkAcl(acl, auth)
  if (tls !== undefined && tls !== true && (typeof tls !== 'object' || kindOf(tls) !== 'an object')) {
    throw new InvalidArgumentError(`tls must be options of tls.connect, or true, got ${kindOf(tls)}`)
  }
  return { ...placeOf(connect), sessionTimeoutMs, auth, acl, tls: tls === true ? {} : tls, tickMs }
}

function checkMs(option: string, value: unknown): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= longestMs) return
  throw new InvalidArgumentError(`${option} must be an integer from 1 to ${longestMs}, got ${shown(value)}`)
}

function checkSession(sessionTimeoutMs: unknown, tickMs: number): void {
  checkMs('sessionTimeoutMs', sessionTimeoutMs)
  const leastMs = fewestTicks * tickMs
  if (Number(sessionTimeoutMs) >= leastMs) return
  throw new InvalidArgumentError(
    `sessionTimeoutMs must be at least ${leastMs}, which is six ticks (tickMs: ${tickMs}), got ${shown(sessionTimeoutMs)}`,
  )
}

const isAuth = (given: unknown): given is readonly Auth[] =>
  Array.isArray(given) &&
  given.every((each: unknown) => hasTexts(each, 'scheme', 'auth') && !Array.isArray(each))

function checkAuth(given: unknown): void {
  // Not what was given: it has passwords.
  if (!isAuth(given)) {
    throw new InvalidArgumentError(`auth must be a list of { scheme, auth }, got ${kindOf(given)}`)
  }
  if (given.every(({ scheme, auth }) => scheme !== 'digest' || auth.includes(':'))) return
  throw new InvalidArgumentError("auth of the scheme digest must have the form 'user:password', got no colon")
}

function checkAcl(acl: readonly Acl[], auth: readonly Auth[]): void {
  const isValid =
    Array.isArray(acl) &&
    acl.length > 0 &&
    acl.every((each: unknown) => hasTexts(each, 'permissions', 'scheme', 'id')) &&
    acl.every((each: Acl) => /^[rwcda]+$/.test(each.permissions))
  if (isValid && auth.length === 0 && acl.some(({ scheme }) => scheme === 'auth')) {
    throw new InvalidArgumentError('acl of the scheme auth names who this client is: give auth, too')
  }
  if (isValid) return
  throw new InvalidArgumentError(
    "acl must be a list of { permissions, scheme, id } with permissions of the letters rwcda, such as { permissions: 'rwcda', scheme: " +
      `'auth', id: '' }, got ${kindOf(acl)}`,
  )
}

const hasTexts = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => typeof Reflect.get(value, name) === 'string')

function placeOf(connect: unknown): Pick<Settings, 'servers' | 'root'> {
  if (typeof connect !== 'string' || connect === '') throw refused(connect)
  if (/^[a-z]+:\/\//i.test(connect)) {
    throw new InvalidArgumentError("connect is not a URL: write 'host:port,host:port/path'")
  }
  const slash = connect.indexOf('/')
  const hosts = slash < 0 ? connect : connect.slice(0, slash)
  const root = slash < 0 ? '' : connect.slice(slash).replace(/\/$/, '')
  // A comma is rather one of a path that was given for each server.
  if (root !== '' && !/^(\/[^/\0,]+)+$/.test(root)) throw refused(connect)
  if (/(^|\/)\.{1,2}($|\/)/.test(root)) throw refused(connect)
  return { servers: hosts.split(',').map((host) => serverOf(host.trim(), connect)), root }
}

function serverOf(text: string, connect: string): Server {
  const found = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]@]+))(?::(\d{1,5}))?$/i.exec(text)
  const host = found?.[1] ?? found?.[2]
  const port = Number(found?.[3] ?? defaultPort)
  if (host === undefined || port < 1 || port > 65_535) throw refused(connect)
  return { host, port }
}

const refused = (connect: unknown): InvalidArgumentError =>
  new InvalidArgumentError(
    `connect must name the servers as 'host:port,host:port/path', got ${shown(connect)}`,
  )
