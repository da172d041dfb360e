import type { ClientInfo, ConnectedClient, EngineHost, ObjectType } from '@holdfast/core/engine'
import type { LatchStore } from './latch-store.js'

/** Which queue: that of one object. How it is written in the store is the store's business. */
export interface Queue {
  readonly name: string
  readonly object: ObjectType
}

/** An owner's place in a queue. It lives until it is removed, or its client's session ends. */
export interface Entry {
  readonly queue: Queue
  readonly owner: string
  /** The session that made it: an entry of the same owner in another session is not its own. */
  readonly session: string
  /** Where it is, unlike any other there ever was: a path or a key. */
  readonly key: string
  /** How many permits it wants or holds; 1 for a lock. Part of every listing. */
  readonly permits: number
  /** How many permits there are in all, as the owner was told; 1 for a lock. Part of every listing. */
  readonly size: number
  /** The fencing token: larger than that of every earlier entry of the queue. 0 in the listings of a store that does not list it. */
  readonly token: number
}

/** What is to enter a queue. */
export interface NewEntry {
  readonly owner: string
  readonly permits: number
  readonly size: number
  readonly note: EntryNote
}

/** What an entry says to those who inspect it. */
export interface EntryNote {
  /** The hold count of a lock; of other objects 1. */
  readonly count: number
  /** A lease that ends before the session does, milliseconds; 0: none does. */
  readonly leaseMs: number
}

/** A queue, as it was at one instant. */
export interface Listing {
  /** In the order of their arrival. */
  readonly entries: readonly Entry[]
  /** The size that is in force, if the object was resized. */
  readonly size: Size | undefined
}

/** By what it is judged who holds. */
export interface Sizing {
  /** How many permits there are in all; `null`: as each owner was told. */
  readonly size: number | null
  /** Keys of the entries that held when this began: they hold, even if there is no room for them. */
  readonly holders: readonly string[]
}

/** A size to be set. */
export interface NewSize extends Sizing {
  /** Of the resize, so that its repetition is recognized. */
  readonly id: string
  /** How long it is in force, milliseconds; 0 with the size `null`: as long as it is there. */
  readonly keepMs: number
  /** What was in force before, as long as it is not known who held then: nobody gets in until `holders` say it. */
  readonly before?: Sizing | undefined
}

/** How many permits an object has in all, since it was resized. In force for as long as it is listed. */
export interface Size extends NewSize {
  /** Larger than that of every earlier size of the object. */
  readonly version: number
  /** Whether its time is certainly up, by a measure of the store that outlives its clients. May be late. */
  readonly isOver: boolean
}

/** What {@link QueueStore.look} sees. */
export interface Look {
  readonly note: EntryNote
  readonly token: number
  /** How long the store keeps the entry unless its client proves its session, milliseconds. */
  readonly leftMs: number
  /** How long ago the note was written, milliseconds. */
  readonly ageMs: number
}

/** A queue that is not empty, or a latch. */
export interface ListedQueue {
  readonly queue: Queue
  /** Of a latch: whether it is set and not open, or waited for. */
  readonly entries: number
  /** Of a latch: whether clients wait for it. Those of a queue do when it has two entries. */
  readonly isContended?: boolean
}

/** Some of the queues of a store. */
export interface QueuePage {
  readonly queues: readonly ListedQueue[]
  /** How many there are in all, about. */
  readonly total: number
  /** Where to go on; `null`: that was the last page. */
  readonly next: string | null
}

/** What a store reports. None of these throws. */
export interface StoreEvents {
  /** A connection broke: replies to what was in flight are lost. The session may go on in another. */
  broken(): void
  /**
   * The session is over, and everything with it. Reported after {@link QueueStore.session} and {@link QueueStore.provenAt} say so, and
   * before another session begins.
   */
  ended(session: string): void
  /** Requests work: at first, and again after each break. */
  connected(): void
  /** An entry of this client was evicted. May come late, twice, or not at all. */
  evicted(owner: string): void
  /** Another client sent a text. */
  message(text: string): void
}

/** Opens the connection of one client. Does no I/O yet. */
export type OpenStore = (host: EngineHost, events: StoreEvents) => QueueStore

/**
 * What a session queue needs of a store: entries in order that live as long as a session, and a word when one is gone.
 *
 * Every call ends within `timeoutMs`, and rejects with `UnavailableError` when no reply came, carried out or not; with `RefusedError` when
 * the store rejected it and repeating makes no sense. Those of one client may overlap; those about one owner come one after
 * another.
 */
export interface QueueStore {
  /** For messages, such as `ZooKeeper at 127.0.0.1:2181`. */
  readonly name: string
  /** Grows with every connection that breaks. */
  readonly connectionEpoch: number
  /** Whether requests can be sent now. */
  readonly isUp: boolean
  /** Names the session that is running; '' without one. */
  readonly session: string
  /** How long a session lives from its last proof, milliseconds, as the store granted it. */
  readonly sessionMs: number
  /** How long before the end of its session a holder stops claiming its holds, milliseconds: as the engine's traits have it. */
  readonly marginMs: number
  /**
   * When the last request was sent, by {@link EngineHost.now}, that proved the session: one that a majority of servers has carried out.
   * Without a session -Infinity.
   */
  readonly provenAt: number

  /** Resolves when requests can be sent. Keeps trying in the background once it has succeeded. */
  connect(timeoutMs: number): Promise<void>
  /** Ends the session, so that all of its entries go now, and all timers. What is in progress rejects. */
  close(): Promise<void>

  /**
   * Makes the owner's entry, and then lists the queue. Proves the session, of which the entry is.
   *
   * @returns `null` for an owner that was barred
   */
  enter(queue: Queue, entry: NewEntry, timeoutMs: number): Promise<{ own: Entry; listing: Listing } | null>
  list(queue: Queue, timeoutMs: number): Promise<Listing>
  /** The owner's entry of the running session, with its token; also one whose making got no reply, however late that was carried out. */
  find(queue: Queue, owner: string, timeoutMs: number): Promise<Entry | null>
  /** Writes the note of an entry of this session, if it is still there. Proves the session. */
  update(entry: Entry, note: EntryNote, timeoutMs: number): Promise<boolean>
  /**
   * Tells those who wait behind this entry of a semaphore that it got in: see {@link whenMarked}.
   *
   * @returns a fencing token that is larger than all before, of entries and of marks of the queue; `null`: the entry is gone
   */
  mark(entry: Entry, timeoutMs: number): Promise<number | null>
  /** Has an entry hold fewer permits, and marks it. Listed in the same place, under the same key. `null`: it is gone. */
  shrink(entry: Entry, permits: number, timeoutMs: number): Promise<Entry | null>
  /** `false`: it was not there. */
  remove(entry: Entry, timeoutMs: number): Promise<boolean>
  /** Refuses later entries of the owner, in stores where a request may overtake another. */
  bar?(queue: Queue, owner: string, keepMs: number, timeoutMs: number): Promise<void>
  /** Removes the entry of whatever client and tells that client, which need not be reached. `false`: it was not there. */
  evict(entry: Entry, timeoutMs: number): Promise<boolean>

  /**
   * Calls back once when the entry is gone, at once if it is, or when that can no longer be told, and perhaps earlier, for nothing.
   *
   * @returns has it forgotten
   */
  whenGone(entry: Entry, callback: () => void, timeoutMs: number): Promise<() => void>
  /** The same, and when the entry is marked, at once if it is. */
  whenMarked(entry: Entry, callback: () => void, timeoutMs: number): Promise<() => void>
  /** Lists a queue, and calls back once when the list or an entry's permits have changed since, as {@link whenGone} does. */
  whenChanged(
    queue: Queue,
    callback: () => void,
    timeoutMs: number,
  ): Promise<{ listing: Listing; stop: () => void }>

  /** The same when the size that is listed has changed. */
  whenResized(
    queue: Queue,
    callback: () => void,
    timeoutMs: number,
  ): Promise<{ listing: Listing; stop: () => void }>

  /** Proves the session; then, which of these entries of it are there. In as few requests as the store allows. */
  prove(entries: readonly Entry[], timeoutMs: number): Promise<readonly boolean[]>
  /** `null`: the entry is gone. */
  look(entry: Entry, timeoutMs: number): Promise<Look | null>
  /**
   * Sets the size if the one that is listed has this version, 0 if none is. Its time goes on if that one has the same id.
   *
   * @returns `false`: it has another version
   */
  resize(queue: Queue, size: NewSize, version: number, timeoutMs: number): Promise<boolean>
  /** Has no size listed any more, if the one that is has this version and the queue is empty. */
  unsize(queue: Queue, version: number, timeoutMs: number): Promise<void>

  /** Makes this client known to others for as long as its session lives, and has it reached by them. */
  announce(timeoutMs: number): Promise<void>
  /** How a client made itself known; `null`: its session is over. */
  client(clientId: string, timeoutMs: number): Promise<ClientInfo | null>
  /** Present if the engine's traits promise latches. */
  readonly latches?: LatchStore | undefined
  /** Present if the engine's traits promise `operator`. */
  readonly operator?: StoreOperator | undefined
}

/** What operators need of a store. */
export interface StoreOperator {
  /** A part of the queues; `null` begins. */
  queues(cursor: string | null, timeoutMs: number): Promise<QueuePage>
  /** The clients that are known. */
  clients(timeoutMs: number): Promise<readonly ConnectedClient[]>
  /** Passes a text on. `false`: it certainly does not arrive. */
  send(clientIds: readonly string[], text: string, timeoutMs: number): Promise<readonly boolean[]>
}
