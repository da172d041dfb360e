/** How a {@link Watchdog} renews. */
export interface WatchdogOptions<T extends Renewable> {
  /**
   * Renews these items, all of one group, and resolves with one outcome per item in the same order.
   *
   * A rejection, or a wrong number of outcomes, makes it `unknown` for all of them. It may take any time, or never settle:
   * deadlines and other calls do not wait for it; but its items are not renewed again before it settles.
   */
  renew(items: readonly T[]): Promise<readonly RenewalOutcome[]>

  /**
   * The maximum number of items in one call of `renew`; larger groups are split, and all parts are sent at once. At least 1.
   *
   * @defaultValue 500
   */
  maxBatch?: number

  /**
   * The clock that all instants are read on, milliseconds that never step back.
   *
   * @defaultValue `performance.now()`
   */
  now?(): number

  /**
   * Receives what `renew`, `settle` or `expire` threw, the reason of a rejected renewal, and an error about a
   * wrong number of outcomes. What it throws itself is dropped. Without it, errors are dropped too.
   */
  onError?(error: unknown): void
}

/**
 * Renews many items on one timer, and notifies each one when its deadline has passed.
 *
 * | An item is | true in it                                        | left by                                          |
 * | ---------- | ------------------------------------------------- | ------------------------------------------------ |
 * | waiting    | next renewal known, or none (not periodic)        | renewal due → in flight; deadline → forgotten    |
 * | in flight  | exactly one renewal sent, not answered            | renewed → waiting (one period after its sending) |
 * |            |                                                   | unknown → waiting (shortly); lost → forgotten;   |
 * |            |                                                   | deadline → forgotten                             |
 * | forgotten  | whatever is still answered for it changes nothing | add() → waiting, as a new item                   |
 *
 * `delete()` and `close()` forget in every state. The timer does not keep the process alive.
 */
export class Watchdog<T extends Renewable> {
  private readonly roster = new Roster<T>()
  private readonly schedule: Schedule<T>
  private readonly alarm = new Alarm(
    () => this.wake(),
    () => this.now(),
  )
  private readonly maxBatch: number
  private closed = false

  /** @throws RangeError if `maxBatch` is not an integer of at least 1 */
  constructor(private readonly options: WatchdogOptions<T>) {
    if (typeof (options as Partial<WatchdogOptions<T>> | undefined)?.renew !== 'function')
      throw new TypeError('Watchdog needs options with renew, a function that renews items')
    this.maxBatch = options.maxBatch ?? 500
    if (!Number.isInteger(this.maxBatch) || this.maxBatch < 1) {
      throw new RangeError(`maxBatch must be an integer of at least 1, got ${this.maxBatch}`)
    }
    this.schedule = new Schedule(this.maxBatch)
  }

  private now(): number {
    return this.options.now?.() ?? performance.now()
  }

  /** How many items are watched. */
  get size(): number {
    return this.roster.size
  }

  /** Whether the item is watched: added, and neither deleted nor lost nor expired since. */
  has(item: T): boolean {
    return this.roster.find(item) !== undefined
  }

  /**
   * Watches the item: first renewal one `renewEveryMs` after `confirmedAt`. An item that is watched already is
   * rescheduled. An item is in one watchdog at a time.
   *
   * @param confirmedAt - when the command was sent that the other side last confirmed, a reading of `now`;
   * the lease has been running since then. Default: now
   * @throws Error while another watchdog watches the item
   * @throws Error after `close()`: an item that is not renewed must not look like one that is renewed
   * @throws RangeError if `renewEveryMs` is neither `null` nor above 0, or `deadlineAt` is NaN
   */
  add(item: T, confirmedAt: number = this.now()): void {
    if (this.closed) throw new Error('The watchdog is closed')
    assertRenewable(item)
    if (this.has(item)) {
      this.reschedule(item)
      return
    }
    const entry = this.roster.add(item, confirmedAt)
    this.schedule.set(entry)
    this.armAlarm()
  }

  /**
   * Forgets the item. Neither `settle` nor `expire` is called for it any more, not even for a renewal in flight.
   *
   * @returns whether it was watched
   */
  delete(item: T): boolean {
    const entry = this.roster.find(item)
    if (entry === undefined) return false
    // The alarm stays armed and may ring for nothing: items that come and go all the time would re-arm it each time.
    this.forget(entry)
    return true
  }

  /**
   * Reads `renewEveryMs` and `deadlineAt` again after they changed from outside. The period counts from the last
   * success (or the adding), so an item whose period has passed already is renewed at once. A pending retry stays.
   */
  reschedule(item: T): void {
    const entry = this.roster.find(item)
    if (entry === undefined) return
    this.schedule.set(entry)
    this.armAlarm()
  }

  /**
   * Renews these items (default: all, also those without a period) before it returns, except that items whose
   * deadline has passed expire instead. An item with a renewal in flight gets exactly one more after that one.
   * Items that are not watched are passed over.
   */
  renewNow(items: Iterable<T> = this.roster.all.map(({ item }) => item)): void {
    const now = this.now()
    for (const item of items) {
      const entry = this.roster.find(item)
      if (entry === undefined) continue
      entry.request(now)
      this.schedule.set(entry)
    }
    this.wake()
  }

  /** Stops the timer and forgets all items; replies that come later change nothing. May be called repeatedly. */
  close(): void {
    this.closed = true
    for (const entry of this.roster.all) this.forget(entry)
    this.alarm.disarm()
  }

  private wake(): void {
    const { expired, due } = this.schedule.take(this.now())
    // Expiry first: after an event-loop stall nothing that is past its deadline may be renewed back to life.
    for (const entry of expired) this.expire(entry)
    for (const batch of splitIntoBatches(due, groupOf, this.maxBatch)) void this.renewBatch(batch)
    this.armAlarm()
  }

  /** Sends one renewal and settles it. Never rejects. */
  private async renewBatch(taken: readonly Watched<T>[]): Promise<void> {
    // Callbacks of ours that ran since these were taken may have deleted some, or sent them already.
    const batch = taken.filter((entry) => this.isWatched(entry) && !entry.inFlight)
    if (batch.length === 0) return
    for (const entry of batch) {
      entry.takeOff()
      this.schedule.set(entry)
    }
    const sentAt = this.now()
    const outcomes = await this.requestOutcomes(batch)
    batch.forEach((entry, index) => this.land(entry, outcomes[index] ?? 'unknown', sentAt))
    this.armAlarm()
  }

  /** The outcomes for this batch, or none at all where `renew` failed. Never rejects. */
  private async requestOutcomes(batch: readonly Watched<T>[]): Promise<readonly RenewalOutcome[]> {
    try {
      const outcomes = await this.options.renew(batch.map((entry) => entry.item))
      if (outcomes.length === batch.length) return outcomes
      // Which outcome belongs to which item is unknown then, and a wrong `renewed` would be the worst guess.
      throw new Error(`renew() returned ${outcomes.length} outcomes for ${batch.length} items`)
    } catch (error) {
      this.report(error)
      return []
    }
  }

  private land(entry: Watched<T>, outcome: RenewalOutcome, sentAt: number): void {
    if (!this.isWatched(entry)) return
    if (entry.isPastDeadline(this.now())) {
      // The reply overtook the timer. The item has counted as not held since its deadline; it stays so.
      this.expire(entry)
      return
    }
    if (outcome === 'lost') this.forget(entry)
    this.guard(() => entry.item.settle(outcome, sentAt))
    if (!this.isWatched(entry)) return
    if (outcome === 'renewed') entry.landRenewed(sentAt, this.now())
    else entry.landUnknown(this.now())
    this.schedule.set(entry)
  }

  private expire(entry: Watched<T>): void {
    if (!this.isWatched(entry)) return
    this.forget(entry)
    this.guard(() => entry.item.expire())
  }

  private isWatched(entry: Watched<T>): boolean {
    return this.roster.has(entry)
  }

  private forget(entry: Watched<T>): void {
    this.roster.delete(entry)
    this.schedule.remove(entry)
  }

  private armAlarm(): void {
    const { nextAt } = this.schedule
    if (nextAt === undefined) this.alarm.disarm()
    else this.alarm.arm(nextAt)
  }

  private guard(callback: () => void): void {
    try {
      callback()
    } catch (error) {
      this.report(error)
    }
  }

  private report(error: unknown): void {
    try {
      this.options.onError?.(error)
    } catch {
      // No one is left to notify, and throwing here would end the process.
    }
  }
}

/** One item with a key that does not compare would put all others out of order. */
function assertRenewable({ renewEveryMs, deadlineAt }: Renewable): void {
  if (renewEveryMs !== null && !(renewEveryMs > 0)) {
    throw new RangeError(`renewEveryMs must be null or above 0, got ${renewEveryMs}`)
  }
  if (Number.isNaN(deadlineAt)) throw new RangeError('deadlineAt must be an instant, got NaN')
}

const groupOf = ({ item }: { readonly item: Renewable }): string => item.group

/**
 * An item is renewed up to this part of its period early when that saves a call of its own. Then it is due together with
 * those it went with, so items that were added at any times come to fill whole calls.
 */
const EARLY_SHARE = 0.5

const LONGEST_RETRY_MS = 250
const SHORTEST_RETRY_MS = 20

/** setTimeout counts whole milliseconds, so a wake-up may come this much before the instant it was meant for. */
const TIMER_PRECISION_MS = 1

/** What lies before this instant is dealt with by a wake-up at `now`. One expression for all comparisons. */
function wakeHorizon(now: number): number {
  return now + TIMER_PRECISION_MS
}

/** One stay of one item in the watchdog. An item that comes back gets a new one, so late replies find no target. */
export class Watched<T extends Renewable> {
  /** When something must be done for the item: renew or expire it. */
  readonly wake = new HeapNode<Watched<T>>(this)
  /** From when on the item may be renewed along with others. */
  readonly ready = new HeapNode<Watched<T>>(this)

  inFlight = false
  /** renewNow() requested a renewal that has not succeeded yet. */
  requested = false
  /** renewNow() requested another while one was in flight. */
  requestedAgain = false
  /** Overrides the period after an unknown outcome or for renewNow(). */
  retryAt: number | undefined

  /**
   * @param confirmedAt - what the period counts from: the instant of adding, then of the last success's sending
   * @param index - where it is in the watchdog's list; -1 once it has gone
   */
  constructor(
    readonly item: T,
    private confirmedAt: number,
    public index: number,
  ) {}

  isPastDeadline(now: number): boolean {
    // Ending a claim a moment early is harmless, ending it late is not: hence the timer's precision on this side.
    return this.item.deadlineAt < wakeHorizon(now)
  }

  /** When the next renewal is due; `Infinity` for none. */
  get dueAt(): number {
    if (this.inFlight) return Infinity
    const { renewEveryMs } = this.item
    if (renewEveryMs === null) return this.requested ? (this.retryAt ?? Infinity) : Infinity
    return this.retryAt ?? this.confirmedAt + renewEveryMs
  }

  /** From when on the next renewal may go out if others do anyway. */
  readyAt(dueAt: number): number {
    if (this.retryAt !== undefined) return dueAt
    return dueAt - (dueAt - this.confirmedAt) * EARLY_SHARE
  }

  /** renewNow() was called. At most one renewal is in flight, and at most one more waits behind it. */
  request(now: number): void {
    this.requested = true
    if (this.inFlight) this.requestedAgain = true
    else this.retryAt = now
  }

  takeOff(): void {
    this.inFlight = true
  }

  landRenewed(sentAt: number, now: number): void {
    this.confirmedAt = sentAt
    this.land(this.requestedAgain ? now : undefined)
  }

  landUnknown(now: number): void {
    const quarterMs = (this.item.renewEveryMs ?? Infinity) / 4
    const waitMs = this.requestedAgain ? 0 : Math.min(quarterMs, LONGEST_RETRY_MS)
    this.land(now + Math.max(waitMs, SHORTEST_RETRY_MS), true)
  }

  private land(retryAt: number | undefined, failed = false): void {
    this.inFlight = false
    this.requested = this.requestedAgain || (failed && this.requested)
    this.requestedAgain = false
    this.retryAt = retryAt
  }
}

/**
 * What came of one renewal.
 *
 * - `renewed`: the other side confirmed it.
 * - `lost`: the other side said that there is nothing left to renew. The item is forgotten.
 * - `unknown`: no usable reply (error, timeout, wrong number of outcomes). It says nothing about the item, is never
 *   taken for a loss, and is retried soon; the deadline decides in the end.
 */
export type RenewalOutcome = 'renewed' | 'lost' | 'unknown'

/** Where a watchdog keeps its note on an item: on the item itself. */
const note: unique symbol = Symbol('watched')

/** Something that ends by itself unless it is renewed in time. All instants are readings of the watchdog's clock, `performance.now()` by default. */
export interface Renewable {
  /** Items of one group are renewed together in one call, e.g. because one server holds all of them. */
  readonly group: string

  /**
   * Time from one renewal's sending to the next one's, in milliseconds, greater than 0. Read at each scheduling.
   * `null`: not renewed periodically; only the deadline is watched, and {@link Watchdog.renewNow} obeyed.
   */
  readonly renewEveryMs: number | null

  /**
   * The instant from which the item no longer counts as held. The item moves it itself, in {@link Renewable.settle};
   * after any other change call {@link Watchdog.reschedule}. `Infinity` if it has none.
   */
  readonly deadlineAt: number

  /**
   * A renewal was answered, or failed. Never called after the deadline, after `delete()` or after `close()`.
   *
   * @param sentAt - the instant before the renewal was sent: the other side counts from then or later
   */
  settle(outcome: RenewalOutcome, sentAt: number): void

  /** The watchdog's own note on an item that it watches. */
  [note]?: unknown

  /** The deadline passed. Called once; the watchdog has forgotten the item already. */
  expire(): void
}

/** Splits items by group, and each group into batches of at most `maxBatch`. */
export function* splitIntoBatches<T>(
  items: Iterable<T>,
  groupOf: (item: T) => string,
  maxBatch: number,
): Generator<T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groupOf(item)
    const members = groups.get(group)
    if (members === undefined) groups.set(group, [item])
    else members.push(item)
  }
  for (const members of groups.values()) {
    for (let start = 0; start < members.length; start += maxBatch)
      yield members.slice(start, start + maxBatch)
  }
}

/** What is to be dealt with at an instant. */
interface Work<T extends Renewable> {
  readonly expired: readonly Watched<T>[]
  readonly due: readonly Watched<T>[]
}

/** When each item is to be renewed or expires, and which items may be renewed early along with others of their group. */
export class Schedule<T extends Renewable> {
  private readonly wakeUps = new IndexedHeap<Watched<T>>()
  /** By group: items that may be renewed along with others. */
  private readonly ready = new Map<string, IndexedHeap<Watched<T>>>()

  constructor(private readonly maxBatch: number) {}

  /** When something is to be done next; `undefined` if there is nothing. */
  get nextAt(): number | undefined {
    return this.wakeUps.peek()?.at
  }

  /** Adds the item, or moves it after its times changed. */
  set(entry: Watched<T>): void {
    const { dueAt } = entry
    this.wakeUps.set(entry.wake, Math.min(dueAt, entry.item.deadlineAt))
    if (dueAt === Infinity) this.removeReady(entry)
    else this.readyOf(entry.item.group).set(entry.ready, entry.readyAt(dueAt))
  }

  remove(entry: Watched<T>): void {
    this.wakeUps.remove(entry.wake)
    this.removeReady(entry)
  }

  /** Removes and returns everything that is to be dealt with now. */
  take(now: number): Work<T> {
    const expired: Watched<T>[] = []
    const due: Watched<T>[] = []
    const horizon = wakeHorizon(now)
    for (let top = this.wakeUps.peek(); top !== undefined && top.at < horizon; top = this.wakeUps.peek()) {
      const entry = top.value
      this.remove(entry)
      if (entry.isPastDeadline(now)) expired.push(entry)
      else if (entry.dueAt < horizon) due.push(entry)
      else this.set(entry) // its deadline was moved without a reschedule()
    }
    const counts = new Map<string, number>()
    for (const { item } of due) counts.set(item.group, (counts.get(item.group) ?? 0) + 1)
    for (const [group, count] of counts) {
      const inLastCall = count % this.maxBatch
      if (inLastCall > 0) due.push(...this.takeReady(group, this.maxBatch - inLastCall, now))
    }
    return { expired, due }
  }

  /** Those of a group that may be renewed early: as many as its last call has room for. */
  private takeReady(group: string, room: number, now: number): Watched<T>[] {
    const taken: Watched<T>[] = []
    while (taken.length < room) {
      const top = this.ready.get(group)?.peek()
      if (top === undefined || top.at > now) break
      this.remove(top.value)
      taken.push(top.value)
    }
    return taken
  }

  private readyOf(group: string): IndexedHeap<Watched<T>> {
    let heap = this.ready.get(group)
    if (heap === undefined) this.ready.set(group, (heap = new IndexedHeap()))
    return heap
  }

  private removeReady({ item: { group }, ready }: Watched<T>): void {
    const heap = this.ready.get(group)
    heap?.remove(ready)
    // The last one stays: the next item will mostly need it again.
    if (heap?.size === 0 && this.ready.size > 1) this.ready.delete(group)
  }
}

/**
 * The items that are watched.
 *
 * Not a Map: one whose entries come and go links its outgrown tables to the new ones, and an old one that garbage collection has
 * not yet reached keeps all of them alive.
 */
class Roster<T extends Renewable> {
  private readonly entries: Watched<T>[] = []

  get size(): number {
    return this.entries.length
  }

  /** All of them as they are now. */
  get all(): Watched<T>[] {
    return [...this.entries]
  }

  /** @throws Error if another watchdog watches the item */
  add(item: T, confirmedAt: number): Watched<T> {
    if (item[note] !== undefined) throw new Error('The item is watched by another watchdog')
    const entry = new Watched(item, confirmedAt, this.entries.length)
    this.entries.push(entry)
    item[note] = entry
    return entry
  }

  find(item: T): Watched<T> | undefined {
    const noted = item[note]
    const entry = noted instanceof Watched ? this.entries[noted.index] : undefined
    // It may be the note of another watchdog.
    return entry === noted ? entry : undefined
  }

  has(entry: Watched<T>): boolean {
    return this.entries[entry.index] === entry
  }

  delete(entry: Watched<T>): void {
    const last = this.entries.pop()
    if (last !== undefined && last !== entry) {
      this.entries[entry.index] = last
      last.index = entry.index
    }
    entry.index = -1
    entry.item[note] = undefined
  }
}

/** The longest delay that setTimeout takes; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** One timeout for one instant. It may ring early (the code that it wakes checks the clock), never on purpose late. */
class Alarm {
  private timer: NodeJS.Timeout | undefined
  private armedFor = Infinity

  constructor(
    private readonly ring: () => void,
    private readonly now: () => number,
  ) {}

  /** Sees to it that the alarm rings at `at` or earlier. An alarm armed for an earlier instant is left as it is. */
  arm(at: number): void {
    if (this.timer !== undefined && this.armedFor <= at) return
    this.disarm()
    if (at === Infinity) return
    this.armedFor = at
    const delayMs = Math.min(Math.max(Math.floor(at - this.now()), 1), MAX_DELAY_MS)
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.ring()
    }, delayMs)
    // This timer must not keep the process alive.
    this.timer.unref()
  }

  disarm(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}

/** A value's node in one {@link IndexedHeap}; a value in two heaps has two. */
export class HeapNode<V> {
  /** The key: the smallest is at the top. Changed by {@link IndexedHeap.set} only. */
  at = 0
  /** Position in the heap's array, -1 while outside. Changed by the heap only. */
  index = -1

  constructor(readonly value: V) {}
}

/**
 * A binary min-heap whose nodes know their position, so that any of them is moved or removed in O(log n) and
 * nothing deleted stays behind.
 */
export class IndexedHeap<V> {
  private readonly nodes: HeapNode<V>[] = []

  get size(): number {
    return this.nodes.length
  }

  /** The node with the smallest key. */
  peek(): HeapNode<V> | undefined {
    return this.nodes[0]
  }

  /** Puts the node in under this key, or moves it if it is in already. */
  set(node: HeapNode<V>, at: number): void {
    node.at = at
    if (node.index === -1) {
      node.index = this.nodes.length
      this.nodes.push(node)
    }
    this.settle(node)
  }

  /** Takes the node out; does nothing if it is not in. */
  remove(node: HeapNode<V>): void {
    if (node.index === -1) return
    const last = this.nodes.pop()
    if (last !== undefined && last !== node) {
      this.put(last, node.index)
      this.settle(last)
    }
    node.index = -1
  }

  /** Moves a node whose surroundings may be out of order to where it belongs. */
  private settle(node: HeapNode<V>): void {
    const from = node.index
    this.siftUp(node)
    if (node.index === from) this.siftDown(node)
  }

  private siftUp(node: HeapNode<V>): void {
    let index = node.index
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = this.nodes[parentIndex]
      if (parent === undefined || parent.at <= node.at) break
      this.put(parent, index)
      index = parentIndex
    }
    this.put(node, index)
  }

  private siftDown(node: HeapNode<V>): void {
    let index = node.index
    for (;;) {
      const left = this.nodes[2 * index + 1]
      const right = this.nodes[2 * index + 2]
      const smaller = left !== undefined && right !== undefined && right.at < left.at ? right : left
      if (smaller === undefined || smaller.at >= node.at) break
      const freed = smaller.index
      this.put(smaller, index)
      index = freed
    }
    this.put(node, index)
  }

  private put(node: HeapNode<V>, index: number): void {
    this.nodes[index] = node
    node.index = index
  }
}
