/** The objects that an engine may carry; each has names of its own. */
export type ObjectType = 'lock' | 'read-write-lock' | 'semaphore' | 'latch'

/**
 * Where one object lives in a store. An engine makes these in {@link Addressing.locate} and gets the very same objects
 * back, so it may return objects of a class of its own with more in them.
 */
export interface Address {
  /** The name given to `getLock`, `getSemaphore` and so on. */
  readonly name: string
  /** Identical for the same object, and different for any other. */
  readonly id: string
  /** Addresses with the same group may share one call of `renew` or `refresh`. */
  readonly group: string
}

/** What an owner requests of an object. Times are milliseconds. */
export interface AcquireRequest {
  readonly owner: string
  /**
   * Of a lock, the hold count wanted: 1 to get in, more to re-enter. Of a read/write lock or semaphore, the permits wanted.
   * Never an increment, so that a repeated request changes nothing.
   */
  readonly count: number
  /** How many permits the object has in all; left out for a lock. */
  readonly size?: number | undefined
  readonly leaseMs: number
  /** How long a queue entry stays alive unless refreshed; 0: do not queue. */
  readonly entryTtlMs: number
  /** The lease of a hold that is granted to the queue entry. */
  readonly grantLeaseMs: number
  /**
   * What the notification of a grant to this queue entry repeats: 16 characters of base64url, drawn by the core for this owner
   * alone, the same in all its requests. Only who may read the store can know it; without it a notification is not believed.
   * Never show it: not in an inspection, an error or a list. Used only when queueing; `''` otherwise.
   */
  readonly proof: string
  /** Whether the hold is to have a fencing token and has none yet. An engine whose holds always have one ignores this. */
  readonly wantsToken: boolean
  /**
   * From whom the owner takes a lock over, if it does: it enters only in the place of this holder, with a new token and a lease from now on, and
   * the first waiter is to ask until when. `count` is 1 then, and `entryTtlMs` 0. Given only to engines with the trait `lease.handsOver`.
   */
  readonly heir?: string | undefined
}

/** What several owners of one client request, each of a lock of its own. Times are milliseconds. */
export interface JointRequest {
  /** All of one group; each lock once. */
  readonly locks: readonly { readonly address: Address; readonly owner: string }[]
  /** `all`: enter all of them or none; `first`: enter those before the first that is busy. */
  readonly mode: 'all' | 'first'
  readonly leaseMs: number
}

/** What an owner wants to give back. */
export interface ReleaseRequest {
  readonly owner: string
  /** The hold count, or the permits, to be left; 0 gives up both the hold and the queue entry. */
  readonly count: number
  /** How long a late request of this owner is to be refused, milliseconds; 0 when none can be on its way. */
  readonly tombstoneMs: number
  /**
   * With `count` 0: for how long the lock stays held once its owner is gone, by its heir, milliseconds from the step on, exactly.
   * Above 0; left out when the lock becomes free. Only for engines with the trait `lease.keeps`.
   */
  readonly keepMs?: number | undefined
  /** Who holds the lock for `keepMs`; {@link keptBy} the owner when left out. Given only to engines with the trait `lease.handsOver`. */
  readonly heir?: string | undefined
}

/** How many permits an object is to have in all, whatever size its clients know. */
export interface ResizeRequest {
  /** 0: nobody enters. */
  readonly size: number
  /** How long the size is in force, milliseconds. Then each waiter's own is again. */
  readonly keepMs: number
  /** Of the last resize that the caller knows of, so that a late request does not undo a newer one; 0: none. */
  readonly version: number
  /** Made for this resize alone, and the same when it is repeated: that is how a repetition is recognized. */
  readonly id: string
}

/** A hold to renew. */
export interface Renewal {
  readonly address: Address
  readonly owner: string
  readonly leaseMs: number
}

/** A queue entry to keep alive. */
export interface QueueEntry {
  readonly address: Address
  readonly owner: string
  /** How long it stays alive from now on, milliseconds. */
  readonly entryTtlMs: number
}

/** From names to where objects live, and back. Does no I/O. */
export interface Addressing {
  /**
   * The address of the lock of this name, or of another object that the engine's traits promise. The core has checked that the
   * name is a string of 1 to 1,024 bytes.
   *
   * @throws `InvalidArgumentError` for a name that the store cannot take
   */
  locate(name: string, object: ObjectType): Address
  /** The address with this id, for a notification that no waiter here expects; `null` for an id that is not one of this session's. */
  resolve(id: string): Address | null
}

/** The owner of the n-th outermost acquisition of a client. */
export const ownerOf = (clientId: string, n: number): string => `${clientId}:${n}`

/** Who holds a lock that its owner has released before `atLeastMs` were over: no client acts for it. */
export const keptBy = (owner: string): string => `${owner}:kept`

/** Who holds a lock that its owner has handed over: no client acts for it until one takes it over. */
export const heirOf = (owner: string, digest: string): string => `${owner}:ticket:${digest}`

/** Whether a lock is held by no client, and waits to be taken over. */
export const isHandedOver = (owner: string): boolean => owner.includes(':ticket:')

/** How the owners end that no client acts for. */
const unattended = /:(kept|ticket:[\w-]+)$/

/** Whether a lock is held by no client any more. */
export const isKept = (owner: string): boolean => unattended.test(owner)

/** Whether it has the form of an owner. */
export const isOwner = (text: unknown): text is string =>
  typeof text === 'string' && /^.+:\d+$/s.test(text.replace(unattended, ''))

/** Which acquisition of its client an owner stands for. */
export const numberOf = (owner: string): number => Number(owner.slice(owner.lastIndexOf(':') + 1))

/** The client that an owner belongs to, or did while it acted. */
export const clientOf = (owner: string): string => {
  const acting = owner.replace(unattended, '')
  return acting.slice(0, acting.lastIndexOf(':'))
}

/**
 * A read/write lock is a semaphore: a reader takes one permit, a writer takes all of them. So many readers at once are
 * out of reach.
 */
export const writePermits = 1_000_000_000

/** What a call is about, as events and errors name it. */
export type ObjectKind = 'lock' | 'read-lock' | 'write-lock' | 'semaphore' | 'latch'

/** What a call wants of an object. */
export interface Target {
  readonly address: Address
  readonly kind: ObjectKind
  /** How many permits it wants; 1 for a lock. */
  readonly permits: number
  /** How many permits the object has in all; `undefined` for a lock. */
  readonly size: number | undefined
}

/** An object, as messages name it. */
export interface Named {
  readonly kind: ObjectKind
  readonly address: Address
}

/** Whether several that want it may run in one hold at the same time. */
export const isShared = ({ kind }: Target): boolean => kind === 'read-lock'

/** The object in messages, such as `read lock catalog`. */
export const titleOf = ({ kind, address }: Named): string => titleFrom(kind, address.name)

/** The same from a kind and a name. */
export const titleFrom = (kind: ObjectKind, name: string): string => `${kind.replace('-', ' ')} ${name}`

/** The outcome of an acquire request. */
export type AcquireReply =
  | HeldReply
  | BusyReply
  /** The owner wanted a count above 1 and does not hold the lock. Nothing was changed. */
  | { readonly kind: 'lost' }
  /** The owner was abandoned by an earlier release, and its tombstone is still there. Nothing was changed. */
  | { readonly kind: 'abandoned' }
  | NotALockReply

/** The outcome of a request for several locks. */
export type JointReply =
  | {
      readonly kind: 'entered'
      /** Of the locks that were entered: the first ones of the request, in its order. */
      readonly tokens: readonly number[]
      /** The first lock that was busy, by its place in the request. Its owner is not queued. */
      readonly busy?: { readonly index: number; readonly reply: BusyReply } | undefined
    }
  /** One of the owners was abandoned earlier. Nothing was changed. */
  | { readonly kind: 'abandoned' }
  | (NotALockReply & { readonly index: number })

/** The owner holds the lock. */
export interface HeldReply {
  readonly kind: 'held'
  /** The fencing token; 0 when the hold has none. Of a hold that was entered again 0 will do: its owner knows the token. */
  readonly token: number
  /**
   * How many permits are free afterwards, from an engine that wakes waiters: if there are any, the client's next waiter
   * requests some.
   */
  readonly free?: number | undefined
}

/** The owner does not get the lock now. */
export interface BusyReply {
  readonly kind: 'busy'
  /** Until the lock may be free without a notification, milliseconds. */
  readonly ttlMs: number
  /** The store's clock, microseconds. A grant that carries it too can be dated without a further request. */
  readonly serverUs?: number | undefined
  /** Who holds the lock. '' when it is free, but set aside for another owner for the next `ttlMs`. */
  readonly holder: string
  /** Position in the queue, 1 for the next in line; 0: not queued. Without order in the queue, any number above 0. */
  readonly position: number
  /**
   * From an engine whose waiters poll: in how many milliseconds to request again, if not after `pollMs`. Of many that wait, those at
   * the back need not poll as the next in line does.
   */
  readonly againMs?: number | undefined
}

/** The store holds something else under this name. Nothing was changed. */
export interface NotALockReply {
  readonly kind: 'not-a-lock'
  /** What it is, where it is and what to do, as the second half of a sentence: 'the key lock:x holds a list; …' */
  readonly reason: string
}

/** `not-held`: the owner did not hold the lock, or no longer did; only its queue entry was removed. */
export type ReleaseReply = { readonly kind: 'released' } | { readonly kind: 'not-held' } | NotALockReply

/**
 * The size in force after a resize, and its version; both 0 when there is none.
 *
 * - `resized`: it is the one requested, set now or by an earlier execution of the same request
 * - `superseded`: another resize came in between. Nothing was changed now; an earlier execution may have set the size
 *   that the other one replaced.
 */
export interface ResizeReply {
  readonly kind: 'resized' | 'superseded'
  readonly version: number
  readonly size: number
}

/**
 * The outcome of one renewal. `no-reply`: it is not known whether it was carried out; of several in one step, the others count.
 */
export type RenewalReply = 'renewed' | 'not-held' | 'no-reply'

/** The state of a queue entry. */
export interface QueueEntryReply {
  /**
   * - `waiting`: it stays alive for the time requested
   * - `granted`: its owner holds the lock
   * - `missing`: there is none (stale, or lost with the store's data); its owner requests again
   */
  readonly state: 'waiting' | 'granted' | 'missing'
  /** Until the lock may be free without a notification, milliseconds; negative when it is free. */
  readonly ttlMs: number
  /** Who is in the way of one that waits, as in a {@link BusyReply}. Left out: not known. */
  readonly holder?: string | undefined
  /** Its position now, as in a {@link BusyReply} and no larger than before. Left out: not known. Counts only with `holder`. */
  readonly position?: number | undefined
}

/** Who holds a lock and who waits for it. */
export interface Inspection {
  readonly kind: 'lock'
  /** '' when the lock is free. */
  readonly owner: string
  readonly count: number
  /** Of the hold; negative when the lock is free. */
  readonly ttlMs: number
  /** The last fencing token; 0 when it is not known. */
  readonly token: number
  /** How many queue entries there are, stale ones and those that are not listed included. */
  readonly waiterCount: number
  /** The first of them. `aliveMs`: how long the entry stays unless refreshed. */
  readonly waiters: readonly { readonly owner: string; readonly aliveMs: number }[]
}

/** Who holds permits of an object, and who waits for some. */
export interface SharedInspection {
  readonly kind: 'shared'
  /** The permits in all, if the object was resized: see `version`. */
  readonly size: number
  /** Of the resize that is in force; 0: none, and `size` means nothing. */
  readonly version: number
  /** How many permits are free, if that is what the store counts. */
  readonly free?: number | undefined
  /** The permits that are held, as far as the store knows by whom. */
  readonly used: number
  /** How many owners hold some. */
  readonly holderCount: number
  /** Those whose hold ends first. `ttlMs`: for how long the store keeps it unless renewed. */
  readonly holders: readonly { readonly owner: string; readonly permits: number; readonly ttlMs: number }[]
  /** The last fencing token; 0 when it is not known. */
  readonly token: number
  /** How many queue entries there are, stale ones and those that are not listed included. */
  readonly waiterCount: number
  /** The first of them. `aliveMs`: how long the entry stays unless refreshed. */
  readonly waiters: readonly { readonly owner: string; readonly permits: number; readonly aliveMs: number }[]
}

/** How a client describes itself. */
export interface ClientInfo {
  /** The name of its machine. */
  readonly host: string
  /** Its process id there. */
  readonly pid: number
  /** The `label` option; '' without one. */
  readonly label: string
  /** When the client was made, by its own wall clock. */
  readonly startedAt: Date
}
