import type { ConnectionOptions } from 'node:tls'
import {
  checkObject,
  checkOptions,
  InvalidArgumentError,
  kindOf,
  shown,
  urlMistake,
} from '@holdfast/core/engine'
import type { User } from './client/authentication.js'
import type { Endpoint } from './client/connection.js'

/** Where etcd is, and how its locks are kept. */
export interface EtcdOptions {
  /**
   * The servers of one cluster, such as `['https://a:2379', 'https://b:2379']`. A client uses one of them at a time, and another when
   * that cannot be reached or has lost its leader.
   */
  readonly hosts: readonly string[]
  /**
   * What all keys begin with: clients with the same prefix share locks. Ends with a slash.
   *
   * @defaultValue 'holdfast/'
   */
  readonly prefix?: string
  /**
   * How long etcd keeps what a client holds after it last heard from the client, milliseconds; whole seconds, rounded up. All holds of the
   * client end with its session, whatever their leases: shorter hands the locks of a crashed client on sooner, longer outlasts longer
   * outages. At least 2 000.
   *
   * @defaultValue `watchdogTimeoutMs` of the client
   */
  readonly sessionTimeoutMs?: number
  /** A user of etcd, whose role may read and write below the prefix. With `password`. */
  readonly username?: string
  /** Of the user. */
  readonly password?: string
  /** For `https:` hosts: options of `tls.connect`, such as `ca`, and `cert` and `key` for a server that wants the client's certificate. */
  readonly tls?: ConnectionOptions
}

/** The options with their defaults. */
export interface EtcdSettings {
  readonly endpoints: readonly Endpoint[]
  readonly prefix: string
  readonly sessionTimeoutMs: number | undefined
  readonly user: User | undefined
}

const known: ReadonlySet<string> = new Set([
  'hosts',
  'prefix',
  'sessionTimeoutMs',
  'username',
  'password',
  'tls',
])

/** The shortest session that etcd grants: one and a half times its election timeout of 1 s, in whole seconds. */
const shortestSessionMs = 2_000

const advice = "; pass the servers as etcd({ hosts: ['http://127.0.0.1:2379'] })"

/** @throws `InvalidArgumentError` naming the option, what was given and what is allowed */
export function resolveOptions(given: EtcdOptions): EtcdSettings {
  checkObject(given, advice)
  checkOptions(given, known, 'endpoints' in given ? advice : '')
  const { hosts, prefix = 'holdfast/', sessionTimeoutMs, tls } = given
  if (!Array.isArray(hosts) || hosts.length === 0) refuse('hosts', hosts, 'a list of at least one URL')
  if (tls !== undefined && kindOf(tls) !== 'an object')
    refuse('tls', tls, 'an object with options of tls.connect')
  const endpoints = Array.from(hosts, (host) => endpointOf(host, tls))
  if (typeof prefix !== 'string' || !/^[^\0\p{Surrogate}]{0,255}\/$/u.test(prefix)) {
    refuse('prefix', prefix, 'a string of up to 256 characters that ends with a slash')
  }
  checkSession(sessionTimeoutMs)
  return { endpoints, prefix, sessionTimeoutMs, user: userOf(given) }
}

function checkSession(sessionTimeoutMs: unknown): void {
  if (sessionTimeoutMs === undefined) return
  if (Number.isSafeInteger(sessionTimeoutMs) && Number(sessionTimeoutMs) >= shortestSessionMs) return
  refuse(
    'sessionTimeoutMs',
    sessionTimeoutMs,
    `an integer from ${shortestSessionMs}, as etcd grants no shorter session`,
  )
}

function endpointOf(host: unknown, tls: ConnectionOptions | undefined): Endpoint {
  const what = 'each of hosts'
  if (typeof host !== 'string') refuse(what, host, "a URL such as 'http://127.0.0.1:2379'")
  const text = host.includes('://') ? host : `${tls ? 'https' : 'http'}://${host}`
  if (!/^https?:\/\//i.test(text)) refuse(what, host, 'a URL that begins with http:// or https://')
  if (!URL.canParse(text)) throw new InvalidArgumentError(`${what} must be a valid URL: ${urlMistake(text)}`)
  const { protocol, origin, username, password, pathname, search, hash } = new URL(text)
  if (username !== '' || password !== '') {
    throw new InvalidArgumentError(`${what} must be a URL without a user; pass etcd({ username, password })`)
  }
  if (pathname !== '/' || search !== '' || hash !== '')
    refuse(what, host, 'a URL with nothing after the port')
  const isSecure = protocol === 'https:'
  if (tls && !isSecure)
    throw new InvalidArgumentError(`tls has no meaning for ${origin}: write https:// instead of http://`)
  return { origin, tls: isSecure ? (tls ?? {}) : undefined }
}

function userOf({ username, password }: EtcdOptions): User | undefined {
  if (username === undefined && password === undefined) return undefined
  if (typeof username !== 'string' || username === '')
    refuse('username', username, 'a string that is not empty')
  // Not the value: it may be the password after all.
  if (typeof password !== 'string') {
    throw new InvalidArgumentError(`password must be a string, got ${kindOf(password)}`)
  }
  return { username, password }
}

function refuse(option: string, given: unknown, allowed: string): never {
  throw new InvalidArgumentError(`${option} must be ${allowed}, got ${shown(given)}`)
}
