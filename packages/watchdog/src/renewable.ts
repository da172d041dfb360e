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
export const note: unique symbol = Symbol('watched')

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
