import { isOpen, isSet } from '../engine/latch.js'
import type { LatchInspection } from '../engine/latch.js'
import type { ClientInfo } from '../engine/replies.js'
import type { Registry } from '../engine/registry.js'

/** What `inspect()` of a latch returns. */
export interface LatchInfo {
  /** The name given to `getCountDownLatch`. */
  readonly name: string
  readonly kind: 'latch'
  /** Whether a count is set; it still is when the latch is open. */
  readonly isSet: boolean
  /** Whether all parties have counted down, so that waits pass. */
  readonly isOpen: boolean
  /** How many parties have to count down in all; 0 when no count is set. */
  readonly count: number
  /** How many have not yet counted down. */
  readonly left: number
  /** Identifies the count: a number that grows with each count that is set. 0 when none is known. */
  readonly generation: number
  /** How long the store keeps the latch unless it is used, milliseconds. */
  readonly remainingMs: number
  /**
   * The named parties that have counted down, at most 100, sorted. Empty once the latch is open. Some may be missing if more
   * than 10,000 parties have counted down.
   */
  readonly parties: readonly string[]
  /** How many clients wait, or did within the last `watchdogTimeoutMs`. */
  readonly waiterCount: number
  /** Some of them, at most 100; `client` is `null` when the registration has expired. */
  readonly waiters: readonly { readonly clientId: string; readonly client: ClientInfo | null }[]
}

/** Named parties begin with this. Others are named after their client, whose id never does. */
const nameMark = '@'

export const namedParty = (name: string): string => nameMark + name

/** How many parties to ask the store for, which knows no difference between named ones and others. */
export const mostParties = 10_000
const mostListed = 100

/** Adds to each client that waits which process it is. */
export async function describeLatch(
  name: string,
  { state, count, ttlMs, parties, waiterCount, waiters }: LatchInspection,
  registry: Registry,
): Promise<LatchInfo> {
  const named = parties
    .filter((party) => party.startsWith(nameMark))
    .map((party) => party.slice(nameMark.length))
  return {
    name,
    kind: 'latch',
    isSet: isSet(state),
    isOpen: isOpen(state),
    count: isSet(state) ? count : 0,
    left: isSet(state) ? state.left : 0,
    generation: state.generation,
    remainingMs: isSet(state) ? Math.max(0, ttlMs) : 0,
    parties: named.sort().slice(0, mostListed),
    waiterCount,
    waiters: await Promise.all(
      waiters
        .slice(0, mostListed)
        .map(async (clientId) => ({ clientId, client: await registry.find(clientId) })),
    ),
  }
}
