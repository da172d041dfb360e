import type { Target } from '../ownership/target.js'
import type { LeaseSet } from './lease-set.js'

/** How the entries of a hold count at the store. */
export interface Counting {
  /** Whether the store counts each entry; otherwise a hold that lasts long enough is entered without a command. */
  readonly countsEntries: boolean
  /** What the store is to count for these leases. */
  valueOf(leases: LeaseSet): number
  /** What it is a hold of once only so much is left of it; the same target if that changes nothing. */
  left(target: Target, value: number): Target
}

/** A lock: the store counts how often its owner has entered. */
const countedEntries: Counting = {
  countsEntries: true,
  valueOf: ({ count }) => count,
  left: (target) => target,
}

/** What several owners hold at once: the hold has the permits that its leases need, and never gets more. */
const sharedPermits: Counting = {
  countsEntries: false,
  valueOf: ({ needs }) => needs,
  left(target, permits) {
    if (permits === 0 || permits === target.permits) return target
    return { ...target, kind: target.kind === 'write-lock' ? 'read-lock' : target.kind, permits }
  },
}

export const countingOf = ({ kind }: Pick<Target, 'kind'>): Counting =>
  kind === 'lock' ? countedEntries : sharedPermits
