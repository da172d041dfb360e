import { isEngine } from '../engine/session.js'
import { kindOf } from '../util/mistakes.js'

const ofClient = {
  redis: 'new Holdfast({ redis })',
  engine: (made: string) => `new Holdfast({ engine${made} })`,
}
const ofQuorum = { redis: 'masters: [url, …]', engine: (made: string) => `masters: [{ engine${made} }, …]` }

/**
 * Where something belongs that was given in the wrong place, to be appended to the error; empty if that is not known.
 *
 * @param place - what says where the store is: the options of a client, or the masters of a quorum
 */
export function whereItBelongs(given: unknown, place: 'client' | 'quorum' = 'client'): string {
  const { redis, engine } = place === 'quorum' ? ofQuorum : ofClient
  const postgres = (option: string): string =>
    `; for locks in PostgreSQL pass ${engine(`: postgres({ ${option} })`)}, with postgres from @holdfast/stores/postgres`
  if (isEngine(given)) return `; pass an engine as ${engine('')}`
  if (typeof given === 'string' || given instanceof URL) {
    const text = String(given)
    if (/^postgres(ql)?:/i.test(text)) return postgres('url')
    return /^(rediss?|redis\+tls|unix):/i.test(text) ? `; pass where Redis is as ${redis}` : ''
  }
  const kind = kindOf(given)
  switch (kind) {
    case 'a Holdfast client':
    case 'a HoldfastQuorum client':
      return '; it is ready to use: call its getLock'
    case 'a PGlite database':
      return postgres('pglite')
    case 'a pool of pg':
    case 'a client of knex':
      return postgres('config')
    case 'an ioredis client':
      return `; pass where Redis is as ${redis}`
    case 'a function':
      return whereFunctionBelongs(given, postgres)
    case "Bun's RedisClient":
    case 'a client of Valkey GLIDE':
      return '; it does not report what becomes of its connections: use ioredis, which runs on Bun, too'
    case 'a promise':
      return '; await it first'
    case 'an array':
      return place === 'client' ? several : ''
    default:
      return adviceOnClient(kind, place)
  }
}

/** Classes are functions. */
function whereFunctionBelongs(given: unknown, postgres: (option: string) => string): string {
  const has = (of: unknown, member: string): boolean => typeof Reflect.get(Object(of), member) === 'function'
  const made: unknown = Reflect.get(Object(given), 'prototype')
  // Of any copy of ioredis, minified or not.
  if (has(made, 'duplicate')) return '; construct it, as in new Redis(url)'
  if (has(made, 'query')) return postgres('config')
  return /^class\b/.test(String(given)) ? '; it is a class, pass an object' : '; call it, as in memory()'
}

const several =
  '; for the nodes of one Redis Cluster pass new Cluster([…]) of ioredis, and for servers that are independent of each other use ' +
  'new HoldfastQuorum({ masters: […] })'

/** What to do about a client of Redis that was given, to be appended to the error. */
function adviceOnClient(kind: string, place: 'client' | 'quorum'): string {
  if (!kind.endsWith('of the package redis')) return ''
  const made = kind.startsWith('a cluster')
    ? 'nodeRedis.cluster(createClient, { rootNodes })'
    : kind.startsWith('a Sentinel')
      ? 'nodeRedis.sentinel(createClient, { name, sentinelRootNodes })'
      : 'nodeRedis(createClient({ url }))'
  const call = place === 'client' ? `new Holdfast({ redis: ${made} })` : `masters: [${made}, …]`
  return `; with @holdfast/core/node-redis pass it as ${call}${kind.startsWith('a pool') ? ': Holdfast needs one connection for commands, and no pool' : ''}`
}
