import type { Address } from '../engine/requests.js'
import type { GrantNotice } from '../engine/session.js'
import { OwnerTable } from '../ownership/owner-table.js'
import type { Owned } from '../ownership/owner-table.js'
import { longestMs, monotonicMs } from '../util/clock.js'
import { LinkedList } from '../util/linked-list.js'
import type { ListNode } from '../util/linked-list.js'

/** An acquisition that is under way, as far as its client's other parts need to know it. */
export interface Waiter extends Owned {
  readonly address: Address
  /** Its node in the list of those that wait for the lock. */
  readonly node: ListNode<Waiter>
  /** Whether it waits in the queue, as far as it knows, with no request in flight. */
  readonly isQueued: boolean
  /** How long a queue entry that is refreshed now needs to stay alive, milliseconds. */
  readonly entryTtlMs: number
  /** Something may have changed: request again. */
  wake(): void
  /** A notification says that a release handed the lock to this owner. */
  granted(notice: GrantNotice): void
  /** This owner was evicted. */
  revoked(): void
  /** The client closes. */
  close(): void
}

export interface WaiterTableOptions {
  readonly maxWaiters: number
  /** Bounds of the pause after which waiters request again without a notification, milliseconds; `undefined`: they do not. */
  readonly pollMs: readonly [shortest: number, longest: number] | undefined
  /** Whether notifications about a lock arrive now. */
  isSubscribed(address: Address): boolean
}

/** When to request a lock again. The timer may fire before that, never after: what it waits for is mostly postponed. */
interface Recheck {
  at: number
  timer: NodeJS.Timeout
  timerAt: number
}

/** While no notification can arrive, locks that are waited for are requested this often. */
const unsubscribedRecheckMs = 1000

/** Redis expires a key in the millisecond after its TTL ran out. */
const expiryMarginMs = 2

/**
 * All waiters of this client, so that one timer per lock serves all that wait for it: when the holder's TTL ends, the first
 * waiter requests again, and the store then grants the lock to whichever is first in the queue.
 */
export class WaiterTable {
  readonly #options: WaiterTableOptions
  readonly #all = new OwnerTable<Waiter>()
  /** By lock id, in the order of their queue entries; those without one yet in the order of their requests. */
  readonly #waiting = new Map<string, LinkedList<Waiter>>()
  readonly #rechecks = new Map<string, Recheck>()
  #slots = 0

  constructor(options: WaiterTableOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#all.size
  }

  /** How many wait for a held lock. */
  get waiting(): number {
    let count = 0
    for (const waiting of this.#waiting.values()) count += waiting.size
    return count
  }

  add(waiter: Waiter): void {
    this.#all.add(waiter)
  }

  delete(waiter: Waiter): void {
    this.#all.delete(waiter)
    const { id } = waiter.address
    const waiting = this.#waiting.get(id)
    if (!waiting?.delete(waiter.node)) return
    if (waiting.size > 0) {
      // The timer may have woken just this one: then none would request for the others.
      if ((this.#rechecks.get(id)?.at ?? 0) <= monotonicMs()) this.#recheckIn(id, 0)
      return
    }
    this.#waiting.delete(id)
    clearTimeout(this.#rechecks.get(id)?.timer)
    this.#rechecks.delete(id)
  }

  /** One more may wait, unless `maxWaiters` do. */
  takeSlot(): boolean {
    if (this.#slots >= this.#options.maxWaiters) return false
    this.#slots++
    return true
  }

  freeSlot(): void {
    this.#slots--
  }

  find(owner: string): Waiter | undefined {
    return this.#all.find(owner)
  }

  /** @param isNewEntry - its queue entry is new: those that have one already are ahead of it */
  wait(waiter: Waiter, isNewEntry: boolean): void {
    const { id } = waiter.address
    const waiting = this.#waiting.get(id) ?? new LinkedList<Waiter>()
    if (waiting.size === 0) this.#waiting.set(id, waiting)
    if (isNewEntry) waiting.delete(waiter.node)
    waiting.add(waiter.node)
  }

  /** Has the first waiter request again in `ttlMs`, when the hold that is waited for ends unless it is renewed. */
  noteTtl(address: Address, ttlMs: number): void {
    if (!this.#waiting.has(address.id)) return
    const longestInMs = this.#options.isSubscribed(address) ? Infinity : unsubscribedRecheckMs
    const inMs = Math.min(ttlMs, longestInMs, this.#pollInMs())
    this.#recheckIn(address.id, Math.max(0, inMs) + expiryMarginMs)
  }

  /** No notification arrives from now on: no waiter may rely on one. */
  unsubscribed(): void {
    const soon = monotonicMs() + unsubscribedRecheckMs
    for (const [id, { at }] of this.#rechecks) if (at > soon) this.#recheckIn(id, unsubscribedRecheckMs)
  }

  /** Those that wait in a queue. */
  queued(): Waiter[] {
    return this.#all.all.filter(({ isQueued }) => isQueued)
  }

  /** Has the first waiter for this lock request again. */
  wakeFirst(id: string): void {
    this.#waiting.get(id)?.first?.wake()
  }

  /** Has all waiters for this lock request again. */
  wakeAllOf(id: string): void {
    for (const waiter of this.#waiting.get(id)?.toArray() ?? []) waiter.wake()
  }

  /** Has those in a queue request again. */
  wakeQueued(): void {
    for (const waiter of this.queued()) waiter.wake()
  }

  /** Has all others request again. */
  wakeUnqueued(): void {
    for (const waiter of this.#all.all) if (!waiter.isQueued) waiter.wake()
  }

  /** Ends every wait because the client closes. */
  close(): void {
    for (const waiter of this.#all.all) waiter.close()
  }

  #pollInMs(): number {
    const { pollMs } = this.#options
    if (!pollMs) return Infinity
    const [shortest, longest] = pollMs
    return shortest + Math.random() * (longest - shortest)
  }

  #recheckIn(id: string, ms: number): void {
    const at = monotonicMs() + ms
    const recheck = this.#rechecks.get(id)
    if (recheck && recheck.timerAt <= at) {
      recheck.at = at
      return
    }
    clearTimeout(recheck?.timer)
    this.#rechecks.set(id, { at, timer: this.#ringAt(id, at), timerAt: at })
  }

  #ringAt(id: string, at: number): NodeJS.Timeout {
    const inMs = Math.max(0, Math.ceil(at - monotonicMs()))
    // Keeps the process alive, as a wait should: an engine may have no connection that does.
    return setTimeout(
      () => {
        this.#onRing(id)
      },
      Math.min(inMs, longestMs),
    )
  }

  #onRing(id: string): void {
    const recheck = this.#rechecks.get(id)
    if (!recheck) return
    if (monotonicMs() < recheck.at) {
      recheck.timer = this.#ringAt(id, recheck.at)
      recheck.timerAt = recheck.at
      return
    }
    recheck.timerAt = Infinity
    this.wakeFirst(id)
  }
}
