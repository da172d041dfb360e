import type { NotALockReply, Address } from './requests.js'

/**
 * What a latch is like. Each count that is set has a `generation` of its own: larger than any before, also than those of a
 * latch that was deleted or lost. A store draws it from its clock, as it does with tokens.
 */
export interface LatchState {
  /** The last count that was set, or deleted since; 0 when nothing is known of one. */
  readonly generation: number
  /** The oldest generation that the store still vouches for; above `generation` while no count is set. */
  readonly first: number
  /** The last generation that opened. */
  readonly opened: number
  /** How many parties have not counted down yet. */
  readonly left: number
  /** The generation before `generation`; 0 if there was none, or it is not known. */
  readonly previous: number
}

/** Whether a count is set, open or not. */
export const isSet = ({ generation, first }: LatchState): boolean => generation >= first

/** Whether a count is set and all have counted down. */
export const isOpen = (state: LatchState): boolean => isSet(state) && state.opened === state.generation

/** Whether this generation opened, as far as the store vouches for it. */
export const hasOpened = ({ first, opened }: LatchState, generation: number): boolean =>
  first <= generation && generation <= opened

/** A count to set. */
export interface LatchSetRequest {
  /** The generation that the caller takes for the last one; 0: none. */
  readonly named: number
  /** Unique to the call, and the same when it is repeated. */
  readonly setter: string
  /** How many parties have to count down. */
  readonly count: number
  /** How long the latch outlives its last use, milliseconds. */
  readonly keepMs: number
}

/** A party that counts down. */
export interface CountDownRequest {
  /** The generation to count down in. */
  readonly named: number
  /** Who counts down: the same when the call is repeated. */
  readonly party: string
}

/** A latch to delete. */
export interface LatchDeleteRequest {
  readonly named: number
  /** For how long late steps have to find that it was deleted, milliseconds. */
  readonly tombstoneMs: number
}

/** The reply to a step that names a generation. */
export interface LatchReply {
  /** `other`: the named generation is not the last one, or the step is not possible in it. Nothing was changed. */
  readonly kind: 'done' | 'other'
  /** What the latch is like now. */
  readonly state: LatchState
}

/** Which opening a waiter waits for. */
export interface Awaited {
  readonly generation: number
  /** Whether it is that of this very generation. If not, no count was set yet: the next one of a generation from this one on. */
  readonly isBound: boolean
}

/** Whether the opening of `generation` is the one that is waited for. */
export const isAwaited = (awaited: Awaited, generation: number): boolean =>
  awaited.isBound ? generation === awaited.generation : generation >= awaited.generation

/** A client that waits for a latch, or goes on waiting. */
export interface LatchWait {
  readonly address: Address
  /** What the last reply said; `undefined` at first. */
  readonly awaited: Awaited | undefined
  /** For how long the client is to be notified, milliseconds; 0: it does not wait. */
  readonly aliveMs: number
}

/**
 * - `passed`: the latch is open, or was open since `awaited` was replied
 * - `closed`: it is not, or not set; the client is notified when it opens
 * - `gone`: the awaited generation was deleted or lost
 */
export type LatchWaitReply =
  | { readonly kind: 'passed'; readonly generation: number }
  | {
      readonly kind: 'closed'
      readonly awaited: Awaited
      /** From an engine whose waiters poll: in how many milliseconds to look again, if not after `pollMs`. */
      readonly againMs?: number | undefined
    }
  | { readonly kind: 'gone' }
  | NotALockReply

/** A latch, who has counted down and which clients wait. */
export interface LatchInspection {
  readonly kind: 'latch'
  readonly state: LatchState
  /** How many parties have to count down in all; 0 while no count is set. */
  readonly count: number
  /** How long the store keeps the latch unless it is used, milliseconds. */
  readonly ttlMs: number
  /** Some of the parties that have counted down, in no order. None once it is open. */
  readonly parties: readonly string[]
  /** How many clients are to be notified. */
  readonly waiterCount: number
  /** The ids of some of them. */
  readonly waiters: readonly string[]
}

/**
 * The count-down latches of one client; an engine with `kinds: ['latch']` has them. Rejects as other steps do.
 *
 * Every step may be carried out twice, late, or without its reply arriving. `set`, `countDown` and `delete` each name a
 * generation and change nothing in any other: that makes a late one harmless. `setter` and `party` make a repeated one
 * harmless.
 */
export interface LatchSession {
  /**
   * Sets the count if the named generation is the last one, and is open or not set. A repeated call finds its own `setter`,
   * and is `done`.
   *
   * A store that may have lost data since the last `set` (a restart, a failover) no longer vouches for any generation
   * before this one: `first` becomes it.
   */
  set(address: Address, request: LatchSetRequest, timeoutMs: number): Promise<LatchReply | NotALockReply>
  /**
   * Counts the party down in the named generation, once. The last party opens the latch: all clients that wait are notified,
   * {@link EngineHost.opened}. `done` also when the latch is open already.
   *
   * If a part of the latch was lost (the parties, by eviction) all of it goes, and clients that wait are notified to check,
   * {@link EngineHost.missed}.
   */
  countDown(
    address: Address,
    request: CountDownRequest,
    timeoutMs: number,
  ): Promise<LatchReply | NotALockReply>
  /**
   * Looks at latches and has the client notified for `aliveMs`; all of one group. One reply each, in order. Also keeps the
   * latches alive. A late one costs a notification that nobody waits for.
   */
  wait(waits: readonly LatchWait[], timeoutMs: number): Promise<readonly LatchWaitReply[]>
  /**
   * Deletes the named generation. Clients that wait are notified to check. The store keeps the generation for `tombstoneMs`, so
   * that a late `set` does not take the latch for a new one.
   */
  delete(
    address: Address,
    request: LatchDeleteRequest,
    timeoutMs: number,
  ): Promise<LatchReply | NotALockReply>
  /** @param limit - how many parties and how many clients to list */
  inspect(address: Address, limit: number): Promise<LatchInspection | NotALockReply>
}
