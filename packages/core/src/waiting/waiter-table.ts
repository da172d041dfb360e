import { splitIntoBatches } from '@holdfast/watchdog'
import type { GrantNotice } from '../engine/session.js'
import { isAwaited, type Awaited } from '../engine/latch.js'
import type { LockSteps } from '../engine/lock-steps.js'
import type {
  Inspection,
  NotALockReply,
  QueueEntryReply,
  SharedInspection,
  Address,
  Target,
} from '../engine/requests.js'
import type { Request } from '../options/options.js'
import { OwnerTable, type Owned } from '../ownership/owners.js'
import type { StoreClient } from '../store-client.js'
import { longestMs, momentNow, monotonicMs, type Moment } from '../time/time.js'
import { outsideAllCalls, LinkedList, type ListNode } from '../util/lists.js'

/** An acquisition that is under way, as far as its client's other parts need to know it. */
export interface Waiter extends Owned {
  readonly address: Address
  /** How much of the object it wants. */
  readonly target: Target
  /** Its node in the list of those that wait for the lock. */
  readonly node: ListNode<Waiter>
  /** Whether it waits in the queue, as far as it knows, with no request in flight. */
  readonly isQueued: boolean
  /** How long a queue entry that is refreshed now needs to stay alive, milliseconds. */
  readonly entryTtlMs: number
  /** When its call began. */
  readonly waitsSince: number
  /** Who keeps it from entering, and its position in the queue, as far as this client knows. */
  readonly obstacle: { readonly holder: string; readonly position: number; readonly at: number } | undefined
  /** The hold around its call that it must not re-enter, if there is one. */
  readonly inside?: Request['inside']
  /** Something may have changed: request again. */
  wake(): void
  /** This owner was evicted, it is said: look. */
  revoked(): void
  /** Whether its call was inside a hold or scope of the client. */
  readonly isInside: boolean
  /** The client closes. */
  close(): void

  // Of one that waits for a latch:

  /** Which opening it waits for, as of the last reply. */
  readonly awaited?: Awaited | undefined
  /** A generation of it opened. */
  opened?(generation: number): void

  // Of one that has entries in a queue:

  /**
   * A notification with the right proof says that a release handed the lock to this owner.
   *
   * @returns whether it is believed: only the first is, and none after a gap, in which others may have learned the proof
   */
  granted?(notice: GrantNotice): boolean
  /** Notifications may have been missed: others may have learned the proof from one. */
  distrust?(): void
  /** Its queue entry is still there, so no grant to it has been published that was missed. */
  trust?(): void
  /** A refresh says who keeps it from entering, and its position. @param askedAt - when it was sent */
  refreshed?(reply: QueueEntryReply, askedAt: Moment): void
}

/** When to request a lock again. The timer may fire before that, never after: what it waits for is mostly postponed. */
interface Recheck {
  at: number
  timer: NodeJS.Timeout
  timerAt: number
}

/** While no notification can arrive, locks that are waited for are requested this often. */
const unsubscribedRecheckMs = 1000

/** How long before a wait ends the state is read once more, so that its error tells the present holder. */
export const readAheadMs = 100

/** How many holders, and how many queue entries, such a reading lists. */
const mostRead = 100

/** Redis expires a key in the millisecond after its TTL ran out. */
const expiryMarginMs = 2

/**
 * All waiters of this client, so that one timer per lock serves all that wait for it: when the holder's TTL ends, the first
 * waiter requests again, and the store then grants the lock to whichever is first in the queue.
 */
export class WaiterTable {
  readonly #store: StoreClient
  readonly #all = new OwnerTable<Waiter>()
  /** By lock id, in the order of their queue entries; those without one yet in the order of their requests. */
  readonly #waiting = new Map<string, LinkedList<Waiter>>()
  readonly #rechecks = new Map<string, Recheck>()
  /** By lock id, once something was learned of a lock that is waited for. */
  readonly #standings = new Map<string, Standing>()
  /** Has the store go on notifying this client of latches that these wait for. Set by the first latch. */
  refreshLatches: ((waiting: readonly Waiter[]) => Promise<void>) | undefined
  #slots = 0
  #gaps = 0

  constructor(store: StoreClient) {
    this.#store = store
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

  /** Those that wait for a held lock. */
  get allWaiting(): Waiter[] {
    return [...this.#waiting.values()].flatMap((waiting) => waiting.toArray())
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
    this.#standings.delete(id)
  }

  /** What was learned of a lock besides the replies to its waiters. */
  standingOf(id: string): Standing | undefined {
    return this.#standings.get(id)
  }

  /** A waiter enters: those that wait with it know who holds the lock now. @param isQueued - it had a queue entry */
  entered({ address: { id }, owner, target: { kind } }: Waiter, isQueued: boolean): void {
    if ((this.#waiting.get(id)?.size ?? 0) < 2) return
    this.#makeStanding(id).enter(owner, isQueued, kind === 'lock' || kind === 'write-lock', monotonicMs())
  }

  /**
   * Reads who holds and who waits, once for all that wait for this lock here. One that turns out to be the holder requests
   * again. Without a reply all stays as it is known.
   */
  async read(address: Address): Promise<void> {
    const { id } = address
    const at = monotonicMs()
    if (!this.#waiting.has(id)) return
    if (!this.#makeStanding(id).beginReading(at, readAheadMs)) return
    const found = await this.#store.steps.inspect(address, mostRead).catch(() => undefined)
    if (!found || found.kind === 'not-a-lock') return
    this.#standings.get(id)?.found(found, at)
    const holders = found.kind === 'lock' ? [found] : found.holders
    for (const { owner } of holders) this.find(owner)?.wake()
  }

  /** One more may wait, unless `maxWaiters` do. */
  takeSlot(): boolean {
    if (this.#slots >= this.#store.settings.maxWaiters) return false
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
    const longestInMs = this.#store.inbox.isSubscribed(address) ? Infinity : unsubscribedRecheckMs
    const inMs = Math.min(ttlMs, longestInMs, this.#pollInMs())
    this.#recheckIn(address.id, Math.max(0, inMs) + expiryMarginMs)
  }

  /** Has the first of those that wait with this one request again in so many milliseconds, as the reply to it says. */
  pollIn(waiter: Waiter, ms: number): void {
    const { id } = waiter.address
    const isFirst = this.#waiting.get(id)?.first === waiter
    // One that was first when it looked may be behind others now that it has an entry.
    const isDue = (this.#rechecks.get(id)?.at ?? 0) <= monotonicMs()
    if (isFirst || isDue) this.#recheckIn(id, Math.max(0, ms))
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

  /** Has those request again that may enter now. */
  wakeFirst(id: string): void {
    for (const waiter of this.nextFor(id)) waiter.wake()
  }

  /**
   * The first waiter for this lock. Of an object that several hold at once, where they compete: the first that wants all of it,
   * and the first others that fit in together. Not all that wait, of whom most would be too late. Of a semaphore only the
   * first: how many permits are free is known when it has some.
   */
  nextFor(id: string): Waiter[] {
    const waiting = this.#waiting.get(id)
    if (!waiting?.first) return []
    const { kind, size: all } = waiting.first.target
    if (!this.#store.competes || kind === 'semaphore' || all === undefined) return [waiting.first]
    const next: Waiter[] = []
    let used = 0
    let isAlone = false
    for (const waiter of waiting.toArray()) {
      const { permits, size = permits } = waiter.target
      const wantsAll = permits === size
      if (wantsAll ? isAlone : used + permits > size) continue
      if (wantsAll) isAlone = true
      else used += permits
      next.push(waiter)
    }
    return next
  }

  /**
   * A waiter left with nothing. Where they compete, those behind it take its place: no one else would wake them.
   *
   * @param wasWoken - and did not look
   */
  passOn({ address, target: { kind, size } }: Waiter, wasWoken: boolean): void {
    if (!this.#store.competes) return
    // It may have been in the way of others, wanting more than was free. Not at once: they may all be leaving.
    if (kind === 'semaphore' || kind === 'latch') this.noteTtl(address, 0)
    else if (size !== undefined && wasWoken) this.wakeFirst(address.id)
  }

  /** Those that wait for this object, the first in line first. */
  waitingFor(id: string): Waiter[] {
    return this.#waiting.get(id)?.toArray() ?? []
  }

  /** How often notifications may have been missed. */
  get gaps(): number {
    return this.#gaps
  }

  /** No notification is believed by these until the store says that they still wait. */
  distrust(waiters: readonly Waiter[] = this.#all.all): void {
    this.#gaps++
    for (const waiter of waiters) waiter.distrust?.()
  }

  /** Lets all pass that wait for this opening. */
  opened(id: string, generation: number): void {
    const waiters = this.#waiting.get(id)?.toArray() ?? []
    const one = waiters.find(({ awaited }) => awaited && isAwaited(awaited, generation))
    const { events } = this.#store
    if (one) events.emit('opened', { name: one.address.name, kind: 'latch', generation })
    for (const waiter of waiters) waiter.opened?.(generation)
  }

  /** Has those in a queue request again. */
  wakeQueued(): void {
    for (const waiter of this.queued()) waiter.wake()
  }

  /** Has all others request again. */
  wakeUnqueued(): void {
    for (const waiter of this.#all.all) if (!waiter.isQueued) waiter.wake()
  }

  /** Ends waits because the client closes. */
  close(which: 'all' | 'outside'): void {
    for (const waiter of this.#all.all) if (which === 'all' || !waiter.isInside) waiter.close()
  }

  #makeStanding(id: string): Standing {
    const standing = this.#standings.get(id) ?? new Standing()
    this.#standings.set(id, standing)
    return standing
  }

  #pollInMs(): number {
    const { pollMs } = this.#store
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
    return setTimeout(() => this.#onRing(id), Math.min(inMs, longestMs))
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

/** Who is in the way of a waiter, its position in the queue, and when that was so, on the monotonic clock. */
export interface Obstacle {
  readonly holder: string
  readonly position: number
  readonly at: number
}

/** What the last reply to a waiter said, and when that was asked for. `entered`: how many waiters of its client had entered since there is a standing. */
interface Said {
  readonly heardAt: Moment
  readonly holder: string
  readonly position: number
  readonly entered: number
}

type Found = Inspection | SharedInspection | NotALockReply

/** What a client has learned of an object since its waiters got their own replies, from its other waiters and from a reading. */
export class Standing {
  /** How many of this client's waiters have left the queue by entering. */
  entered = 0
  #holder = ''
  #at = -Infinity
  #positions: ReadonlyMap<string, number> | undefined
  #foundAt = -Infinity
  #enteredAtReading = 0
  #readAt = -Infinity

  /** Whether a reading is due: not while another one is under way, nor soon after it. */
  beginReading(now: number, atMostEveryMs: number): boolean {
    if (now - this.#readAt < atMostEveryMs) return false
    this.#readAt = now
    return true
  }

  /** @param isQueued - it had a queue entry; those behind it move up */
  enter(owner: string, isQueued: boolean, isExclusive: boolean, now: number): void {
    if (isQueued) this.entered += 1
    if (!isExclusive) return
    this.#holder = owner
    this.#at = now
  }

  /** @param at - when it was asked for: what happened here since is newer */
  found(found: Found, at: number): void {
    if (found.kind === 'not-a-lock' || at < this.#at) return
    this.#holder = found.kind === 'lock' ? found.owner : (found.holders[0]?.owner ?? '')
    this.#at = at
    this.#foundAt = at
    this.#positions = new Map(found.waiters.map(({ owner }, i) => [owner, i + 1]))
    this.#enteredAtReading = this.entered
  }

  /** What is known for this waiter: the newest of both. A waiter is not in its own way: its grant is on its way here. */
  obstacleOf(owner: string, said: Said): Obstacle {
    const isNewer = this.#at > said.heardAt.monotonicMs
    const { holder, at } =
      isNewer && this.#holder !== owner
        ? { holder: this.#holder, at: this.#at }
        : { holder: said.holder, at: said.heardAt.monotonicMs }
    const read = this.#foundAt > said.heardAt.monotonicMs ? this.#positions?.get(owner) : undefined
    const position = read ?? said.position
    const movedUp = this.entered - (read === undefined ? said.entered : this.#enteredAtReading)
    return { holder, position: position === 0 ? 0 : Math.max(1, position - movedUp), at }
  }
}

/**
 * Periodic work for holders and waiters besides renewing, also done right after anything that may have lost a
 * notification.
 */
export class Housekeeping {
  readonly #store: StoreClient
  #interval: NodeJS.Timeout | undefined
  #isRefreshing = false

  constructor(store: StoreClient) {
    this.#store = store
  }

  /** Does nothing when it has begun. */
  begin(): void {
    // The timer would carry the context of the first call on.
    this.#interval ??= outsideAllCalls(() => setInterval(this.#onInterval, this.#store.settings.renewEveryMs))
    // This timer must not keep the process alive: without connections there is nothing to refresh.
    this.#interval.unref()
  }

  end(): void {
    clearInterval(this.#interval)
  }

  /** After a break everything may be different: holders and waiters check at once. */
  recover(): void {
    this.#store.watchdog.renewNow()
    this.checkWaiters()
  }

  /**
   * Messages or replies may have been missed. Those in a queue check together how they stand: after a failover a server
   * may have thousands of clients that all have to know.
   */
  checkWaiters(): void {
    const { waiters, steps, background } = this.#store
    waiters.wakeUnqueued()
    const refreshed = refreshEntries(waiters, steps).catch((error: unknown) => {
      waiters.wakeQueued()
      throw error
    })
    background.run(refreshed)
  }

  readonly #onInterval = (): void => {
    const { holds, waiters, steps, session, background } = this.#store
    if (holds.size === 0 && waiters.size === 0) return
    this.#store.onRound()
    background.run(session.registry.register())
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    const refreshed = refreshEntries(waiters, steps).finally(() => {
      this.#isRefreshing = false
    })
    background.run(refreshed)
  }
}

const maxBatch = 500

/**
 * Keeps the queue entries of all waiters alive, many in one command. Waiters that were granted the lock without being
 * notified, or that lost their entry, request again.
 */
async function refreshEntries(waiters: WaiterTable, steps: LockSteps): Promise<void> {
  const queued = waiters.queued()
  const entries = queued.filter(({ awaited }) => !awaited)
  const batches = [...splitIntoBatches(entries, ({ address }) => address.group, maxBatch)]
  const refreshing = batches.map((batch) => refreshBatch(batch, waiters, steps))
  await Promise.all([...refreshing, waiters.refreshLatches?.(queued.filter(({ awaited }) => awaited))])
}

async function refreshBatch(batch: readonly Waiter[], waiters: WaiterTable, steps: LockSteps): Promise<void> {
  const entries = batch.map(({ address, owner, entryTtlMs }) => ({ address, owner, entryTtlMs }))
  const { gaps } = waiters
  const askedAt = momentNow()
  const replies = await steps.refresh(entries)
  batch.forEach((waiter, i) => {
    const reply = replies[i]
    if (reply?.state !== 'waiting') {
      waiter.wake()
      return
    }
    // A reply from before a gap says nothing of what was missed in it.
    if (gaps === waiters.gaps) waiter.trust?.()
    waiter.refreshed?.(reply, askedAt)
    waiters.noteTtl(waiter.address, reply.ttlMs)
  })
}
