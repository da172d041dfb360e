import type { EngineHost, Traits } from '@holdfast/core/engine'

/** A store of documents, each of which can be replaced on condition that nobody changed it since it was read. */
export interface DocumentStore {
  /** The engine's name in errors, such as `memcached`. */
  readonly name: string
  readonly traits: DocumentTraits
  /** Opens a session for one client. Does not connect yet, and throws only for invalid options. */
  open(host: DocumentHost): DocumentSession
}

export interface DocumentTraits extends Pick<Traits, 'survives' | 'evicts' | 'commandsPerCycle'> {
  /** Between which bounds, milliseconds, the time is drawn after which the next in line looks again. */
  readonly pollMs: readonly [shortest: number, longest: number]
  /** By how many milliseconds at most a reading of the store's clock is behind the true time. 1 for a clock of milliseconds or better. */
  readonly clockStepMs: number
  /** How many bytes a document may have. */
  readonly maxBytes: number
  /** Whether sessions have `list`: what operators see and ask needs it. */
  readonly lists?: true
}

/** What a session may use of its client, and how it reports to it. */
export type DocumentHost = Pick<
  EngineHost,
  | 'clientId'
  | 'commandTimeoutMs'
  | 'renewEveryMs'
  | 'watchdogTimeoutMs'
  | 'now'
  | 'broken'
  | 'reconnected'
  | 'error'
  | 'warn'
>

/** One document as it was read, and the store's clock at that moment. */
export interface Snapshot<Version = unknown> {
  /** '' when there is none. */
  readonly text: string
  /** Goes back to {@link DocumentSession.replace}. Of a document that is absent, too. */
  readonly version: Version
  /** Microseconds; never goes back while the data lives, and never runs ahead of the true time. */
  readonly nowUs: number
  /** Names the data: another once some may have been lost. */
  readonly incarnation: string
  /**
   * Data was lost lately: nobody enters for so many milliseconds, so that all who held something learn of it first. After a loss this
   * begins at no less than `clockStepMs`: tokens drawn in one step of the clock would not grow.
   */
  readonly opensInMs?: number | undefined
}

/** Which documents one step of a listing reads. */
export interface KeyRange {
  /** What their keys begin with. */
  readonly prefix: string
  /** Only those behind this key; `null`: from the first one. */
  readonly after: string | null
  /** How many at most. */
  readonly limit: number
}

/** Some documents, in an order of their keys that is always the same. */
export interface DocumentPage {
  readonly documents: readonly { readonly key: string; readonly text: string }[]
  /** The store's clock, as in {@link Snapshot}. */
  readonly nowUs: number
  /** About how many documents the store has in all. */
  readonly total: number
}

/**
 * One client's way to its documents. `read` and `replace` reject with `UnavailableError` when no reply came in time, and with
 * `RefusedError` when the store rejected the request and would reject it again.
 */
export interface DocumentSession<Version = unknown> {
  /** Grows whenever requests may have been lost with a connection. */
  readonly connectionEpoch: number
  /** Names the store in errors, such as `memcached at 127.0.0.1:11211`. */
  readonly storeName: string
  /** Connects; refuses a store that cannot keep documents. */
  prepare(): Promise<void>
  read(key: string, timeoutMs: number): Promise<Snapshot<Version>>
  /** A lease of so many milliseconds is requested by what is read next: for stores that can lose data while its holder is cut off. */
  willLease?(leaseMs: number): void
  /**
   * Replaces the document if it is still that version; `''` deletes it. A document that is absent must still be absent.
   *
   * @param keepMs - for how long at least the store has to keep it
   * @returns whether it did
   */
  replace(key: string, text: string, version: Version, keepMs: number, timeoutMs: number): Promise<boolean>
  /** For how long the data has been there; `undefined` if the store cannot tell. */
  uptimeMs?(): Promise<number | undefined>
  /** Some of the documents there are, in the order of their keys. Present if the store's traits promise `lists`. */
  list?(range: KeyRange, timeoutMs: number): Promise<DocumentPage>
  /** Ends all timers and connections. Steps in progress reject. */
  close(): Promise<void>
}
