import { isEngine } from '../engine/is-engine.js'
import { kindOf } from '../util/kind-of.js'

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
    `; for locks in PostgreSQL pass ${engine(`: postgres({ ${option} })`)}, with postgres from @holdfast/postgres`
  if (isEngine(given)) return `; pass an engine as ${engine('')}`
  if (typeof given === 'string' || given instanceof URL) {
    const text = String(given)
    if (/^postgres(ql)?:/i.test(text)) return postgres('url')
    return /^(rediss?|redis\+tls|unix):/i.test(text) ? `; pass where Redis is as ${redis}` : ''
  }
  switch (kindOf(given)) {
    case 'a Holdfast client':
    case 'a HoldfastQuorum client':
      return '; it is ready to use: call its getLock'
    case 'a PGlite database':
      return postgres('pglite')
    case 'a pool of pg':
      return postgres('config: pool.options')
    case 'an ioredis client':
      return `; pass where Redis is as ${redis}`
    case 'a client of the package redis':
      return '; node-redis is not supported: pass its URL, or an ioredis instance'
    case 'a function':
      return isIoredisClass(given) ? '; construct it, as in new Redis(url)' : '; call it, as in memory()'
    case 'a promise':
      return '; await it first'
    case 'an array':
      return place === 'client' ? several : ''
    default:
      return ''
  }
}

const several =
  '; for the nodes of one Redis Cluster pass new Cluster([…]) of ioredis, and for servers that are independent of each other use ' +
  'new HoldfastQuorum({ masters: […] })'

/** Of any copy of ioredis, minified or not. */
const isIoredisClass = (given: unknown): boolean =>
  typeof given === 'function' &&
  typeof Reflect.get(Object(Reflect.get(given, 'prototype')), 'duplicate') === 'function'
