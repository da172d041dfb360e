import { listIn, numberIn, type Fields } from '../process/fields.js'
import type { Peer } from '../process/peer.js'
import type { SharedKind } from '../process/shared-object.js'
import { criticalSection, type CriticalSection } from './critical-section.js'

export interface PermitOrder {
  readonly object: SharedKind
  readonly lock: string
  /** How many permits each cycle takes. */
  readonly permits: number
  /** Concurrent tasks of each client. */
  readonly tasks: number
  /** After how many cycles of all clients together each task makes its last one. */
  readonly limit: number
}

/** One pass through the semaphore. Instants are on the machine's monotonic clock. */
export interface PermitCycle {
  readonly requestedAtMs: number
  readonly enteredAtMs: number
  /** How many permits were in use, those of this cycle included. */
  readonly inside: number
}

/** Redis counts the permits that are in use, and the cycles. */
function permitSection(semaphore: string): CriticalSection {
  return {
    keys: criticalSection(semaphore).keys,
    enter: `
      local inside = redis.call('incrby', KEYS[2], ARGV[1])
      return inside .. ' ' .. (redis.call('get', KEYS[3]) or '0') .. ' -1'`,
    leave: `
      redis.call('incr', KEYS[3])
      return tostring(redis.call('decrby', KEYS[2], ARGV[1]))`,
  }
}

/** Has all clients contend for the permits of one semaphore as fast as they can. */
export async function runPermitCycles(
  peers: readonly Peer[],
  order: PermitOrder,
): Promise<{ peer: Peer; cycles: readonly PermitCycle[] }[]> {
  const request = { op: 'cycles', task: 'cycles', ...order, section: permitSection(order.lock) }
  return Promise.all(
    peers.map(async (peer) => ({
      peer,
      cycles: listIn(await peer.call(request), 'cycles').map(cycleOf),
    })),
  )
}

const cycleOf = (fields: Fields): PermitCycle => ({
  requestedAtMs: numberIn(fields, 'askedAtMs'),
  enteredAtMs: numberIn(fields, 'enteredAtMs'),
  inside: numberIn(fields, 'inside'),
})
