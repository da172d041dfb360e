import type { BusyReply } from '../engine/replies.js'
import type { RequestTime } from '../time/grant-dating.js'
import type { Moment } from '../util/clock.js'

/** What the last busy reply said, and refreshes since. */
export interface LastReply extends RequestTime {
  /** When holder and position were asked for. */
  readonly heardAt: Moment
  /** When the lock may be free, by the clock of the store in milliseconds, if the reply says so. */
  readonly freeAtMs: number | undefined
  readonly holder: string
  /** Since when at least that is the holder, on the monotonic clock. */
  readonly heldSince: number
  readonly position: number
  /** How many waiters of this client had entered by then, as its standing counts. */
  readonly entered: number
}

/** Of the same instant, two replies may differ by the rounding of its parts. */
const roundingMs = 2

/**
 * @param entered - as its standing counts
 * @param before - the reply before
 */
export function lastReplyOf(
  { holder, position, serverUs, ttlMs }: BusyReply,
  sentAt: Moment,
  entered: number,
  before: LastReply | undefined,
): LastReply {
  const freeAtMs = serverUs === undefined ? undefined : serverUs / 1_000 + ttlMs
  // Not with `...`, which makes an object that V8 handles as a dictionary.
  const heldSince = before?.holder === holder ? before.heldSince : sentAt.monotonicMs
  return { sentAt, serverUs, freeAtMs, heardAt: sentAt, holder, heldSince, position, entered }
}

/** Whether something has happened to the lock between two replies: it was acquired, or its lease was renewed. */
export function isChanged(before: LastReply, { holder, freeAtMs }: LastReply): boolean {
  if (holder !== before.holder) return true
  if (freeAtMs === undefined || before.freeAtMs === undefined) return false
  return Math.abs(freeAtMs - before.freeAtMs) > roundingMs
}
