import type { ObjectKind, ObjectType } from '@holdfast/core'

/** What the server sends to its page. */

export interface Process {
  readonly clientId: string
  /** Empty when the client's registration has expired. */
  readonly host: string
  readonly pid: number
  readonly label: string
}

export interface Owner {
  readonly owner: string
  /** Its process has released or handed over what is still held. */
  readonly unattended: 'kept' | 'handed-over' | null
  readonly process: Process
}

/** An object that is held or waited for, as the connected clients report it. */
export interface Row {
  readonly name: string
  readonly object: ObjectType
  /** The one that has held it for longest; `null` if no client is known to. */
  readonly holder: Owner | null
  readonly holderCount: number
  /** `null`: its holder did not report. */
  readonly heldMs: number | null
  readonly remainingMs: number | null
  readonly waiterCount: number
  readonly longestWaitMs: number
}

export interface Listing {
  /** Those with the most waiters first, then those that have been held for longest. */
  readonly rows: readonly Row[]
  /** How many objects there are, listed or not. */
  readonly count: number
  readonly clients: number
  /** Clients that are connected and did not report: what they hold is missing. */
  readonly silent: number
  /** Whether some client has more than it was asked to list. */
  readonly isPartial: boolean
}

export interface Holder extends Owner {
  readonly kind: ObjectKind
  readonly holdCount: number
  readonly permits: number
  readonly heldMs: number | null
  readonly remainingMs: number
}

export interface Waiter extends Owner {
  readonly kind: ObjectKind
  readonly permits: number
  readonly waitedMs: number | null
}

/** One object, as the store has it. */
export interface Details {
  readonly object: ObjectType
  readonly holders: readonly Holder[]
  readonly holderCount: number
  readonly waiters: readonly Waiter[]
  readonly waiterCount: number
  /** The last one that is known; 0: none. */
  readonly fencingToken: number
  /** Of a latch that is set: how many parties there are, and how many have yet to count down. */
  readonly parties: { readonly all: number; readonly left: number } | null
}

/** All that is in use under a name. */
export interface Named {
  readonly name: string
  readonly isReadOnly: boolean
  readonly objects: readonly Details[]
}

export interface EvictionRequest {
  readonly name: string
  readonly kind: ObjectKind
  readonly owner: string
  readonly typedName: string
}

export interface EvictionReply {
  readonly outcome: 'evicted' | 'not-held'
}

export interface Failure {
  readonly error: string
}
