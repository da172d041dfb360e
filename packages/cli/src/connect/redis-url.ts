import { urlMistake } from '@holdfast/core/engine'
import { ExitError, exitCodes } from '../exit-codes.js'

/** What a Redis URL says, in the words of ioredis. */
export interface RedisUrl {
  readonly host: string
  readonly port: number
  readonly username?: string
  readonly password?: string
  readonly db?: number
  readonly tls?: object
}

const defaultPort = 6379

/** Reads `redis://[[user]:password@]host[:port][/db]`, or `rediss://` for TLS. Errors do not repeat the URL, which may contain a password. */
export function readRedisUrl(text: string): RedisUrl {
  const url = parse(text)
  const db = url.pathname.replace(/^\//, '')
  // A password that was not encoded ends at such a character, and what precedes it is taken for the host and the port.
  if (/[/#].*@/.test(url.pathname + url.hash)) throw invalid(urlMistake(text))
  if (!/^\d*$/.test(db)) throw invalid('its path must be the number of a database')
  const decode = (part: string): string => decoded(part, text)
  return {
    host: url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: url.port === '' ? defaultPort : Number(url.port),
    ...(url.username !== '' && { username: decode(url.username) }),
    ...(url.password !== '' && { password: decode(url.password) }),
    ...(db !== '' && { db: Number(db) }),
    ...(url.protocol !== 'redis:' && { tls: {} }),
  }
}

function parse(text: string): URL {
  try {
    const url = new URL(text)
    if (['redis:', 'rediss:', 'redis+tls:'].includes(url.protocol)) return url
  } catch {
    if (/^[a-z+]+:/i.test(text)) throw invalid(urlMistake(text))
  }
  throw invalid(
    'it must start with redis://, rediss://, unix:///, postgres://, zk://, etcd:// or memcached://',
  )
}

function decoded(part: string, url: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw invalid(urlMistake(url))
  }
}

/** Reads `unix:///path[?username=…&password=…&db=…]`. */
export function readSocketUrl(text: string): Omit<RedisUrl, 'host' | 'port'> & { readonly path: string } {
  if (/^unix:\/\/[^/].*@/.test(text))
    throw invalid('user and password of a socket go into its query, unix:///path?username=…&password=…')
  let path = ''
  let query: Record<string, string> = {}
  try {
    const { pathname, searchParams } = new URL(text)
    path = decodeURIComponent(pathname)
    query = Object.fromEntries(searchParams)
  } catch {
    throw invalid('special characters in the path of a socket must be percent-encoded (% as %25)')
  }
  if (!path.startsWith('/'))
    throw invalid('the path of a socket must be absolute, as in unix:///run/redis.sock')
  const { username, password, db, ...others } = query
  if (Object.keys(others).length > 0)
    throw invalid('the query of a socket may have username, password and db')
  if (db !== undefined && !/^\d+$/.test(db)) throw invalid('db must be the number of a database')
  return {
    path,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(db !== undefined && { db: Number(db) }),
  }
}

const invalid = (why: string): ExitError =>
  new ExitError(`the Redis URL is not valid: ${why}`, exitCodes.usage)

/** Reads `host:port,host:port`; IPv6 addresses stand in brackets. */
export function readNodes(option: string, text: string, port: number): { host: string; port: number }[] {
  return text.split(',').map((node) => {
    const [, bracketed, plain, given] = /^(?:\[([^\]]+)\]|([^:[\]\s/@]+))(?::(\d+))?$/.exec(node.trim()) ?? []
    const host = bracketed ?? plain
    if (host === undefined || Number(given ?? 0) > 65_535) {
      throw new ExitError(
        `${option} must be a list such as 10.0.0.1:${port},10.0.0.2:${port}`,
        exitCodes.usage,
      )
    }
    return { host, port: given === undefined ? port : Number(given) }
  })
}
