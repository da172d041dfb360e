import { listIn, numberIn, stringIn, type Fields } from '../process/fields.js'
import type { Peer } from '../process/peer.js'

/** What cycles do inside a read/write lock, on both sides. All keys share the lock's slot. */
export interface ReadWriteSection {
  readonly keys: readonly [lock: string, readers: string, writers: string, made: string]
  /** Takes the side. Returns "strangers made ttl": how many are inside beside this one that must not be, cycles so far, TTL. */
  readonly enter: string
  /** Takes the side that is left, and the one that is kept: '' at the end of a cycle. */
  readonly leave: string
}

export function readWriteSection(lock: string): ReadWriteSection {
  const slot = lock.includes('{') ? lock : `{${lock}}`
  return {
    keys: [lock, `${slot}:readers`, `${slot}:writers`, `${slot}:made`],
    enter: `
      local writes = ARGV[1] == 'write'
      local like = redis.call('incr', writes and KEYS[3] or KEYS[2])
      local others = redis.call('get', writes and KEYS[2] or KEYS[3]) or '0'
      local strangers = tonumber(others) + (writes and like - 1 or 0)
      return strangers .. ' ' .. (redis.call('get', KEYS[4]) or '0') .. ' ' .. redis.call('pttl', KEYS[1])`,
    leave: `
      redis.call('decr', ARGV[1] == 'write' and KEYS[3] or KEYS[2])
      return tostring(redis.call('incr', ARGV[2] == 'read' and KEYS[2] or KEYS[4]))`,
  }
}

export interface ReadWriteOrder {
  readonly lock: string
  /** Concurrent tasks of each client. */
  readonly tasks: number
  /** After how many cycles of all clients together none begins any more. */
  readonly limit: number
  /** One cycle in so many writes, and every second of those downgrades. */
  readonly writeEvery: number
}

/** One pass through either side. Instants are on the machine's monotonic clock. */
export interface ReadWriteCycle {
  readonly side: string
  readonly requestedAtMs: number
  readonly enteredAtMs: number
  readonly leftAtMs: number
  /** How many were inside that this one's side excludes. */
  readonly strangers: number
  readonly ttlMs: number
}

/** Has all clients contend for both sides of one lock as fast as they can; returns the cycles of each. */
export async function runReadWriteCycles(
  peers: readonly Peer[],
  order: ReadWriteOrder,
): Promise<ReadWriteCycle[][]> {
  const request = { op: 'readWriteCycles', task: 'cycles', ...order, section: readWriteSection(order.lock) }
  return Promise.all(peers.map(async (peer) => listIn(await peer.call(request), 'cycles').map(cycleOf)))
}

const cycleOf = (fields: Fields): ReadWriteCycle => ({
  side: stringIn(fields, 'side'),
  requestedAtMs: numberIn(fields, 'askedAtMs'),
  enteredAtMs: numberIn(fields, 'enteredAtMs'),
  leftAtMs: numberIn(fields, 'leftAtMs'),
  strangers: numberIn(fields, 'strangers'),
  ttlMs: numberIn(fields, 'ttlMs'),
})
