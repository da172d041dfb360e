import { Alarm } from './alarm.js'
import { splitIntoBatches } from './batches.js'
import type { Renewable, RenewalOutcome } from './renewable.js'
import { Roster } from './roster.js'
import { Schedule } from './schedule.js'
import type { Watched } from './watched.js'

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
