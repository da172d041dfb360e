import { isOptions } from '../../options/checks.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { checkNames, checkValues } from '../../options/library-options.js'
import { kindOf } from '../../util/kind-of.js'
import { known, knownOfSentinel } from './known-options.js'

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
  checkNames(given, Object.keys(known), option, elsewhere, advice)
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
