import type { ObjectType } from './views.js'

/** What the server sends to its page. Instants are milliseconds since 1970 by the server's clock. */

export type Kind = 'lock' | 'read-lock' | 'write-lock' | 'semaphore' | 'latch'

export interface Process {
  readonly clientId: string
  /** Empty when the client's registration has expired. */
  readonly host: string
  readonly pid: number
  readonly label: string
}

export interface Owner {
  readonly owner: string
  readonly process: Process
}

export interface Totals {
  readonly clients: number
  /** Clients that are connected, and have not reported for some polls. */
  readonly silent: number
  /** Clients that have not reported since the dashboard asked first: the figures below are without them. */
  readonly unreported: number
  /** These are `null` while no client has reported, although some are connected. */
  readonly held: number | null
  readonly waiting: number | null
  /** Since these clients started. */
  readonly lost: number | null
}

/** One point of the charts. Rates and percentiles are `null` until there are two polls to compare. */
export interface Sample {
  readonly at: number
  readonly held: number | null
  readonly waiting: number | null
  readonly acquiredPerSecond: number | null
  readonly handOffsPerSecond: number | null
  readonly p50: number | null
  readonly p90: number | null
  readonly p99: number | null
}

/** Losses of one object in a row: the newest of them, and how many there are. */
export interface Loss {
  readonly name: string
  readonly object: ObjectType
  readonly kind: Kind
  readonly owner: string
  readonly process: Process
  /** All that occur, the newest first. */
  readonly reason: string
  readonly at: number
  readonly count: number
  /** There may be more: clients remember their last ones only. */
  readonly isAtLeast: boolean
  /** The oldest of them. */
  readonly since: number
  /** How many processes besides this one. */
  readonly otherProcesses: number
}

/** How much of a semaphore is taken. */
export interface Permits {
  readonly taken: number
  /** In all; `null` when no process has said so. */
  readonly all: number | null
  /** How many owners have some. */
  readonly owners: number
}

/** The parties of a latch. */
export interface Parties {
  readonly all: number
  /** Those that have yet to count down. */
  readonly left: number
  /** Those with a name that have counted down: some, if there are very many. */
  readonly counted: readonly string[]
}

export interface ContendedRow {
  readonly name: string
  readonly object: ObjectType
  readonly waiterCount: number
  readonly longestWaitMs: number
  readonly holder: Owner | null
  /** Of a read lock: how many others have it, too, as far as the clients list their holds. */
  readonly otherReaders: number
  /** How long that holder has held it; `null` when its client did not list this hold. */
  readonly heldMs: number | null
  /** Of a semaphore, as far as the clients list their holds. */
  readonly semaphore: Permits | null
}

export interface HoldRow {
  readonly name: string
  readonly object: ObjectType
  readonly kind: Kind
  readonly holder: Owner
  readonly permits: number
  /** Of a semaphore, as far as the clients list their holds. */
  readonly semaphore: Permits | null
  readonly heldMs: number
  readonly remainingMs: number
}

export interface WaitRow {
  readonly name: string
  readonly object: ObjectType
  readonly kind: Kind
  readonly owner: string
  readonly permits: number
  readonly waitedMs: number
  readonly position: number
  readonly holder: string
}

/** Figures are `null` until the client has reported. */
export interface ClientRow extends Process {
  readonly startedAt: number
  readonly held: number | null
  readonly waiting: number | null
  readonly acquired: number | null
  readonly lost: number | null
  readonly isSilent: boolean
  readonly isThisOne: boolean
}

export interface OverviewContent {
  readonly page: 'overview'
  readonly contended: readonly ContendedRow[]
  readonly contendedCount: number
  readonly losses: readonly Loss[]
}

export interface LocksContent {
  readonly page: 'locks'
  readonly contended: readonly ContendedRow[]
  readonly contendedCount: number
  readonly longestHeld: readonly HoldRow[]
  /** Some clients hold or wait for more than they were asked to list: counts per lock may be too low. */
  readonly isPartial: boolean
}

export interface LockHolder extends Owner {
  readonly kind: Kind
  readonly holdCount: number
  readonly permits: number
  readonly heldMs: number | null
  readonly remainingMs: number
}

export interface LockWaiter extends Owner {
  readonly kind: Kind
  readonly permits: number
  readonly waitedMs: number | null
}

/** A hold that was seen while the object was watched. */
export interface HistoryEntry extends Owner {
  readonly kind: Kind
  readonly from: number
  readonly lastSeen: number
  readonly isOver: boolean
}

export interface LockContent {
  readonly page: 'lock'
  readonly name: string
  readonly object: ObjectType
  readonly holders: readonly LockHolder[]
  readonly holderCount: number
  readonly waiters: readonly LockWaiter[]
  readonly waiterCount: number
  /** The last one that is known; 0: none. */
  readonly fencingToken: number
  readonly semaphore: Permits | null
  /** Of a latch that is set. */
  readonly parties: Parties | null
  readonly watchedSince: number
  readonly history: readonly HistoryEntry[]
  /** All in the first update, then only the new ones. */
  readonly queueLengths: readonly { readonly at: number; readonly waiters: number }[]
}

export interface ClientsContent {
  readonly page: 'clients'
  readonly rows: readonly ClientRow[]
  /** How many match the filter. */
  readonly matching: number
  /** Which one it is, from 0: the last one if there are fewer by now than the page wanted. */
  readonly sheet: number
  readonly sheets: number
}

export interface ClientContent {
  readonly page: 'client'
  /** `null` when no such client is listed. */
  readonly client: ClientRow | null
  readonly holds: readonly HoldRow[]
  readonly queue: readonly WaitRow[]
  readonly losses: readonly Loss[]
}

export type Content = OverviewContent | LocksContent | LockContent | ClientsContent | ClientContent

export type StoreState =
  /** Nothing is known yet. */
  | { readonly is: 'starting' }
  | { readonly is: 'live' }
  /** It answers, and does not let this dashboard read: a wrong password, a missing permission. What is shown, if anything, is from before. */
  | { readonly is: 'refusing'; readonly message: string }
  /** The last attempts failed; what is shown, if anything, is from before. */
  | {
      readonly is: 'failing'
      /** When the store last answered this dashboard; `null`: never. */
      readonly answeredAt: number | null
      /** When it was first asked without an answer. */
      readonly askedSince: number
      readonly message: string
    }

export interface Update {
  readonly at: number
  readonly everyMs: number
  readonly isReadOnly: boolean
  readonly store: StoreState
  readonly totals: Totals | null
  readonly content: Content | null
  /** On overview pages: all samples in the first update, then only the new one. */
  readonly samples: readonly Sample[]
}

export interface FoundLock {
  readonly name: string
  readonly object: ObjectType
  readonly holder: string | null
  readonly holderCount: number
  readonly waiterCount: number
  readonly remainingMs: number
  readonly semaphore: Permits | null
  readonly parties: Parties | null
}

export interface Findings {
  readonly locks: readonly FoundLock[]
  readonly scanned: number
  readonly total: number
  readonly isComplete: boolean
}

export interface EvictionRequest {
  readonly name: string
  readonly kind: Kind
  readonly owner: string
  readonly typedName: string
}

export interface EvictionReply {
  readonly outcome: 'evicted' | 'not-held'
}

export interface Failure {
  readonly error: string
}
