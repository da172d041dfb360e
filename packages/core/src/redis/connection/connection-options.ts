import type { RedisOptions, SentinelAddress } from 'ioredis'
import { InvalidArgumentError } from '../../errors/errors.js'
import { checkNames, checkValues, isOptions, valueChecks, type OptionCheck } from '../../options/checks.js'
import { kindOf } from '../../util/mistakes.js'
import {
  furtherOptions,
  type CommandConnection,
  type FurtherOption,
  type RedisConnectionOptions,
} from './types.js'

/** What other libraries call it, with what to do here. */
const elsewhere: Readonly<Record<string, string>> = {
  url: '; pass the URL itself in place of the object',
  uri: '; pass the URL itself in place of the object',
  connectionString: '; pass the URL itself in place of the object',
  redis: '; pass its value in place of the object',
  socket: '; pass { host, port } without socket around it, and tls: {} for TLS',
  database: ' (did you mean db?)',
  ssl: ' (did you mean tls?)',
  nodes: '; for a Redis Cluster pass an ioredis Cluster, as in new Cluster([{ host, port }])',
  rootNodes: '; for a Redis Cluster pass an ioredis Cluster, as in new Cluster([{ host, port }])',
}

/**
 * Refuses options for ioredis that it would ignore or misread.
 *
 * @param option - what they were given as
 * @param placeOf - what errors call one of them
 */
export function checkConnectionOptions(
  given: object,
  option: string,
  placeOf = (name: string): string => `${option}.${name}`,
): void {
  checkNames(given, [...Object.keys(known), ...furtherOptions], option, elsewhere, advice)
  checkValues(given, known, placeOf)
  const has = (name: string): boolean => (Reflect.get(given, name) ?? undefined) !== undefined
  if (has('path') && has('host')) {
    throw new InvalidArgumentError(
      `${option} has a host and the path of a socket, of which ioredis would ignore the host: leave one of them out`,
    )
  }
  if (has('sentinels')) checkSentinels(Reflect.get(given, 'sentinels'), has('name'), option)
}

function checkSentinels(sentinels: unknown, isNamed: boolean, option: string): void {
  if (!Array.isArray(sentinels)) {
    throw new InvalidArgumentError(
      `${option}.sentinels must be an array of { host, port }, got ${kindOf(sentinels)}`,
    )
  }
  if (sentinels.length === 0) {
    throw new InvalidArgumentError(
      `${option}.sentinels must have at least one { host, port }, got an empty array`,
    )
  }
  if (!isNamed) {
    throw new InvalidArgumentError(
      `${option}.name must be the name that the Sentinels have for the master, such as 'mymaster', got undefined`,
    )
  }
  // Unlike `forEach`, this does not skip the holes of an array.
  Array.from(sentinels, (sentinel: unknown, i) => {
    const place = `${option}.sentinels[${i}]`
    if (!isOptions(sentinel)) {
      throw new InvalidArgumentError(`${place} must be { host, port }, got ${kindOf(sentinel)}`)
    }
    checkNames(sentinel, Object.keys(knownOfSentinel), place, elsewhere, '; valid are host, port and family')
    checkValues(sentinel, knownOfSentinel, (name) => `${place}.${name}`)
  })
}

/** The same for the options in the query of a URL. ioredis would ignore those that the URL has before its query. */
export function checkQuery(url: URL): void {
  const { protocol, username, password, hostname: host, port, pathname, searchParams } = url
  const query = Object.fromEntries(searchParams)
  const isSocket = protocol === 'unix:'
  const own = { username, password, host, port, [isSocket ? 'path' : 'db']: pathname.replace(/^\/$/, '') }
  const ignored = Object.entries(own).find(([name, value]) => value !== '' && name in query)?.[0]
  if (ignored !== undefined) {
    throw new InvalidArgumentError(
      `${ignored} in the query of the URL would be ignored, since the URL has it before its query: leave one of them out`,
    )
  }
  // ioredis reads this one as a number.
  const { family = '' } = query
  const asRead = /^\d+$/.test(family) ? { family: Number(family) } : {}
  const reached = { ...(host !== '' && { host }), ...(isSocket && { path: pathname }) }
  checkConnectionOptions({ ...reached, ...query, ...asRead }, queryName, (name) => `${name} in ${queryName}`)
}

const queryName = 'the query of the URL'

const advice =
  '; valid are the options of ioredis, such as host, port, username, password, db, tls and sentinels'

/** ioredis would use any value that it is given, and the resulting error would end the process: https://github.com/redis/ioredis/issues/1213 */
export const checkNumbers = (given: object, option: string): void =>
  checkValues(given, { db: known.db, port: known.port }, (name) => `${option}.${name}`)

const { aKind, address, any, integer, oneOf, port, text, trueOrFalse: flag } = valueChecks
/** 0: whichever there is. */
const family = oneOf(0, 4, 6)
/** The texts that mean something to ioredis: `true` in the query of a URL, and its own profiles. Any other would also mean TLS. */
const tlsTexts: readonly unknown[] = ['true', 'RedisCloudFixed', 'RedisCloudFlexible']
const tls = aKind(
  'an object with options of tls.connect, such as {}',
  (value) => typeof value === 'object' || typeof value === 'boolean' || tlsTexts.includes(value),
)

/**
 * With {@link furtherOptions} every option of ioredis, which would ignore any other and connect to this machine. The compiler finds what is
 * missing: the options of ioredis 5 are among those of 6. The commonest come first, since the first of several near names is suggested.
 */
const known: Readonly<Record<Exclude<keyof RedisOptions, FurtherOption>, OptionCheck>> = {
  host: address,
  port,
  username: text,
  password: text,
  db: integer(0),
  tls,
  path: address,
  family,
  keyPrefix: text,
  // Checked one by one.
  sentinels: any,
  name: text,
  sentinelUsername: text,
  sentinelPassword: text,
  sentinelTLS: tls,
  enableTLSForSentinelMode: flag,
  natMap: any,
} satisfies Partial<Record<keyof RedisConnectionOptions, OptionCheck>>

const knownOfSentinel: Readonly<Record<keyof SentinelAddress, OptionCheck>> = {
  host: address,
  port,
  family,
}

/**
 * Has a connection made anew when its handshake gets no reply: ioredis limits the time until the socket is connected, and then
 * waits for ever (5.11.1 and 6.0.0), behind a proxy that has lost the server, say. A server that is loading its data replies.
 *
 * @param limitMs - how long nothing may be received
 * @param onSilent - is told why, before the connection is closed
 */
export function limitHandshake(
  commands: CommandConnection,
  limitMs: number,
  onSilent: (error: Error) => void,
): void {
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => clearTimeout(timer)
  commands.on('connect', () => {
    let seen = 0
    stop()
    timer = setInterval(() => {
      const received = commands.stream?.bytesRead ?? 0
      if (received === seen) {
        onSilent(new Error(`the connection was accepted, and nothing has come back within ${limitMs} ms`))
        commands.disconnect(true)
      }
      seen = received
    }, limitMs)
    // This timer must not keep the process alive; the socket does.
    timer.unref()
  })
  commands.on('ready', stop)
  commands.on('close', stop)
}
