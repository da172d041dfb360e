import type { Acquisition } from './acquisition.js'
import { monotonicMs } from '../util/clock.js'
import type { LockKeys } from '../redis/keys.js'
import { LinkedList } from '../util/linked-list.js'
import { longestMs } from '../options.js'
import { OwnerTable } from '../ownership/owner-table.js'

export interface WaitRoomOptions {
  readonly maxWaiters: number
  /** Whether word of a lock would reach this client now. */
  isHeard(lock: string): boolean
}

/** When to ask again about a lock. The timer may ring before that, never after: mostly what it waits for moves away. */
interface Recheck {
  at: number
  timer: NodeJS.Timeout
  timerAt: number
}

/** While no notice can come in, locks that are waited for are asked about this often. */
const deafAskEveryMs = 1000

/** Redis expires a key in the millisecond after its TTL ran out. */
const expiryMarginMs = 2

/**
 * Everyone of this client who wants a lock, so that one timer per lock serves all who wait for it: when the holder's
 * TTL ends, the earliest waiter asks again, and Redis then grants the lock to whoever is first.
 */
export class WaitRoom {
  readonly #options: WaitRoomOptions
  readonly #all = new OwnerTable<Acquisition>()
  readonly #waiting = new Map<string, LinkedList<Acquisition>>()
  readonly #rechecks = new Map<string, Recheck>()
  #seats = 0

  constructor(options: WaitRoomOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#all.size
  }

  /** How many wait for a held lock. */
  get waiters(): number {
    let waiters = 0
    for (const waiting of this.#waiting.values()) waiters += waiting.size
    return waiters
  }

  enter(acquisition: Acquisition): void {
    this.#all.add(acquisition)
  }

  leave(acquisition: Acquisition): void {
    this.#all.delete(acquisition)
    const lock = acquisition.keys.lock
    const waiting = this.#waiting.get(lock)
    if (!waiting?.delete(acquisition.link)) return
    if (waiting.size > 0) {
      // The timer may have woken just this one: then nobody would ask for the others.
      if ((this.#rechecks.get(lock)?.at ?? 0) <= monotonicMs()) this.#recheckIn(lock, 0)
      return
    }
    this.#waiting.delete(lock)
    clearTimeout(this.#rechecks.get(lock)?.timer)
    this.#rechecks.delete(lock)
  }

  /** One more may wait, unless `maxWaiters` do. */
  takeSeat(): boolean {
    if (this.#seats >= this.#options.maxWaiters) return false
    this.#seats++
    return true
  }

  giveSeatBack(): void {
    this.#seats--
  }

  find(owner: string): Acquisition | undefined {
    return this.#all.find(owner)
  }

  /** The acquisition waits, behind those who already do. */
  wait(acquisition: Acquisition): void {
    const { lock } = acquisition.keys
    const waiting = this.#waiting.get(lock) ?? new LinkedList<Acquisition>()
    if (waiting.size === 0) this.#waiting.set(lock, waiting)
    waiting.add(acquisition.link)
  }

  /** The same for one whose entry in the queue is new: it may have waited before without, and is last now. */
  queue(acquisition: Acquisition): void {
    this.#waiting.get(acquisition.keys.lock)?.delete(acquisition.link)
    this.wait(acquisition)
  }

  /** Has the earliest waiter ask again, because the lock may be free. Answers whether there is one. */
  wakeFirst(lock: string): boolean {
    const first = this.#waiting.get(lock)?.first
    first?.wake()
    return first !== undefined
  }

  /** The same for all who wait for the lock. */
  wakeAll(lock: string): boolean {
    const waiting = this.#waiting.get(lock)?.toArray() ?? []
    for (const acquisition of waiting) acquisition.wake()
    return waiting.length > 0
  }

  /** Has the earliest waiter ask again when the hold ends, in `ttlMs` unless it is renewed or released. */
  noteTtl({ lock }: LockKeys, ttlMs: number): void {
    if (!this.#waiting.has(lock)) return
    const inMs = this.#options.isHeard(lock) ? ttlMs : Math.min(ttlMs, deafAskEveryMs)
    this.#recheckIn(lock, Math.max(0, inMs) + expiryMarginMs)
  }

  /** No notice comes in from now on: nobody may rely on one. */
  becomeDeaf(): void {
    const soon = monotonicMs() + deafAskEveryMs
    for (const [lock, { at }] of this.#rechecks) if (at > soon) this.#recheckIn(lock, deafAskEveryMs)
  }

  /** Those who wait in a queue. */
  queued(): Acquisition[] {
    return this.#all.all.filter(({ isQueued }) => isQueued)
  }

  /** Has them ask again. */
  wakeQueued(): void {
    for (const acquisition of this.queued()) acquisition.wake()
  }

  /** Has all others ask again. */
  wakeUnqueued(): void {
    for (const acquisition of this.#all.all) if (!acquisition.isQueued) acquisition.wake()
  }

  /** Ends every wait because the client closes. */
  close(): void {
    for (const acquisition of this.#all.all) acquisition.close()
  }

  #recheckIn(lock: string, ms: number): void {
    const at = monotonicMs() + ms
    const recheck = this.#rechecks.get(lock)
    if (recheck && recheck.timerAt <= at) {
      recheck.at = at
      return
    }
    clearTimeout(recheck?.timer)
    this.#rechecks.set(lock, { at, timer: this.#ringAt(lock, at), timerAt: at })
  }

  #ringAt(lock: string, at: number): NodeJS.Timeout {
    const inMs = Math.max(0, Math.ceil(at - monotonicMs()))
    const timer = setTimeout(
      () => {
        this.#onRing(lock)
      },
      Math.min(inMs, longestMs),
    )
    // The wait itself keeps the process alive through its connection.
    return timer.unref()
  }

  #onRing(lock: string): void {
    const recheck = this.#rechecks.get(lock)
    if (!recheck) return
    if (monotonicMs() < recheck.at) {
      recheck.timer = this.#ringAt(lock, recheck.at)
      recheck.timerAt = recheck.at
      return
    }
    recheck.timerAt = Infinity
    this.wakeFirst(lock)
  }
}
