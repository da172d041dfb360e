import { listIn, numberIn, stringIn, type Fields } from '../process/fields.js'
import type { Peer } from '../process/peer.js'
import type { LockTarget } from '../process/task.js'
import { criticalSection } from './critical-section.js'

export interface CyclesOrder extends LockTarget {
  readonly lock: string
  /** Concurrent tasks of each client. */
  readonly tasks: number
  /** How many cycles all clients make together. */
  readonly limit: number
  readonly fenced?: boolean
}

/** One pass through the lock. Instants are on the machine's monotonic clock. */
export interface Cycle {
  readonly owner: string
  readonly requestedAtMs: number
  readonly enteredAtMs: number
  readonly leftAtMs: number
  readonly releasedAtMs: number
  /** How many were in the critical section, this one included. */
  readonly inside: number
  /** Of the lock's hash, from inside the critical section; -1 if it had none. */
  readonly ttlMs: number
  /** `null` without `fenced`. */
  readonly token: number | null
}

export interface PeerCycles {
  readonly peer: Peer
  readonly cycles: readonly Cycle[]
}

/** Has all clients contend for one lock as fast as they can, until they have made `limit` cycles together. */
export async function runCycles(peers: readonly Peer[], order: CyclesOrder): Promise<PeerCycles[]> {
  const request = { op: 'cycles', task: 'cycles', ...order, section: criticalSection(order.lock) }
  return Promise.all(
    peers.map(async (peer) => ({
      peer,
      cycles: listIn(await peer.call(request), 'cycles').map(cycleOf),
    })),
  )
}

function cycleOf(fields: Fields): Cycle {
  return {
    owner: stringIn(fields, 'owner'),
    requestedAtMs: numberIn(fields, 'askedAtMs'),
    enteredAtMs: numberIn(fields, 'enteredAtMs'),
    leftAtMs: numberIn(fields, 'leftAtMs'),
    releasedAtMs: numberIn(fields, 'releasedAtMs'),
    inside: numberIn(fields, 'inside'),
    ttlMs: numberIn(fields, 'ttlMs'),
    token: fields['token'] === undefined ? null : numberIn(fields, 'token'),
  }
}
