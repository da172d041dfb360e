import type { ClientOptions, Holdfast } from '@holdfast/core'
import type { LockEngine, Traits } from '@holdfast/core/engine'

/**
 * What the suite needs in order to test an engine: a store of its own, clients on it, and the faults it can inject.
 *
 * The optional members are hooks. A scenario whose hook is absent is skipped, and the table says so; an engine should
 * offer each hook that makes sense for its store.
 */
export interface EngineUnderTest {
  /** The title of the engine's run and of its column in the table, such as `PostgreSQL 15`. */
  readonly name: string
  /** The engine's traits. What they do not promise is asserted to be absent. */
  readonly traits: Traits
  /**
   * How many round trips a step takes; 1 by default. A step of several, such as one that reads and then replaces, may break off between
   * them, and what is left to withdraw is gone a little later: scenarios look again then.
   */
  readonly tripsPerStep?: number
  /** Whether it runs in virtual time, where nothing is late but by a cause: scenarios bound durations sharply then. */
  readonly isExact?: boolean
  /** Given for a store that cannot keep its data over a restart: then `restart` is never called with `keepData: true`. */
  readonly keepsData?: false
  /** Starts the store, empty. Called once, before anything else. */
  start(): Promise<void>
  /** Ends the store and everything that belongs to it. All clients are closed by then. */
  stop(): Promise<void>
  /** A client with connections of its own. The suite closes it. */
  open(options?: ClientOptions): Holdfast

  /** The engine itself, on the started store: for scenarios that send single steps, twice, late or as an unknown client. */
  engine?(): LockEngine
  /** A client whose connections the suite can break, with no effect on other clients. */
  openLinked?(options?: ClientOptions): Promise<LinkedClient>
  /** How another process on this machine opens a client on the same store. */
  readonly otherProcess?: OtherProcess
  /**
   * Restarts the store; resolves once it replies again. `keepData: false`: as after a crash, so an engine that survives
   * a restart still has what it promises to keep.
   */
  restart?(options: { readonly keepData: boolean }): Promise<void>
  /** Makes a replica the master; resolves once clients can use it. */
  failOver?(): Promise<void>
  /** Deletes all data while the store runs. */
  wipe?(): Promise<void>
  /** How many commands about locks the store has carried out so far. */
  commandCount?(): Promise<number>
}

/** The members of an engine under test that may be absent. */
export type Hook = 'engine' | 'openLinked' | 'otherProcess' | 'restart' | 'failOver' | 'wipe' | 'commandCount'

/** A client, and the network between it and the store. */
export interface LinkedClient {
  /** The client. The suite closes it. */
  readonly holdfast: Holdfast
  /** What lies between. */
  readonly link: Link
}

/** The network between one client and the store. */
export interface Link {
  /**
   * Nothing gets through in that direction until `heal`, and neither end notices: connections stay open. What was sent
   * in between arrives late.
   */
  blackHole(direction: LinkDirection): void
  /** Ends a black hole. */
  heal(): void
  /** Breaks all connections; new ones are possible at once. */
  cut(): void
  /**
   * The store carries out the client's next acquire, release or renewal, or step of a latch, but the connection breaks before the reply:
   * before that to its last command, if a step has several, and also if that only reads. Resolves after that.
   */
  loseNextReply(): Promise<void>
  /** Ends the link for good. Called after its client was closed. */
  close(): Promise<void>
}

/** Which way a black hole swallows. */
export type LinkDirection = 'both' | 'toStore' | 'toClient'

/** How a process that the suite forks opens its client. */
export interface OtherProcess {
  /** A module of plain JavaScript that exports `open(argument, options)`, which returns a `Holdfast`, or a promise of one. */
  readonly module: URL
  /** What `open` gets: anything that survives JSON, such as the address of the store. */
  argument(): unknown
}
