import { callsOf, type Call } from './calls.js'
import type { HistoryEvent } from './event.js'
import { Faults } from './faults.js'
import { inOrder } from './grouping.js'
import { holdsOf, type Hold } from './holds.js'
import { Sizes } from './sizes.js'

/** The time limits of the checker. */
export interface CheckOptions {
  /**
   * How much later than its `waitMs` a call may settle, in milliseconds of its process's running time: tolerance for
   * timers and a busy machine. A cancelled waiter may also have given up this much before it reported so.
   * @defaultValue 500
   */
  readonly slackMs?: number
  /**
   * By when a call without `waitMs`, and every release, must settle, in milliseconds from the last heal or from
   * the call itself, whichever is later. At least a lease, the time of a failover, and the time that the holders
   * ahead in the queue take. @defaultValue 10_000
   */
  readonly settleMs?: number
  /**
   * How long the effects of a fault last once it is healed, in milliseconds: until all clients have
   * reconnected, renewed, and learned of losses. @defaultValue 2_000
   */
  readonly recoveryMs?: number
  /** The clients' `commandTimeoutMs`: what a call with `waitMs` 0 may take. @defaultValue 5_000 */
  readonly commandTimeoutMs?: number
  /**
   * The maximum, for the median, of the time from a holder's leaving to the return of the next waiter's call, in
   * milliseconds, without disturbances. Less than a waiter takes without a notification. A single hand-off may take five
   * times that: less than a lease. @defaultValue 100
   */
  readonly handOffMs?: number
  /**
   * Whether holders of a semaphore that was resized have their tokens in the order of their turns. Not where they draw them as they learn of
   * it: then only the time tells. @defaultValue true
   */
  readonly drawsTokensInTurn?: boolean
  /** What a store may say that refuses something for good. @defaultValue anything */
  readonly mayRefuse?: RegExp
  /** How fast the clocks of processes go by which they measure their waits, by name. @defaultValue all 1, which is right */
  readonly rates?: Readonly<Record<string, number>>
}

/** A history, parsed for the rules. */
export interface History {
  readonly events: readonly HistoryEvent[]
  readonly calls: readonly Call[]
  readonly holds: readonly Hold[]
  readonly faults: Faults
  readonly sizes: Sizes
  readonly options: Required<CheckOptions>
}

export function parseHistory(events: readonly HistoryEvent[], options: CheckOptions): History {
  const { slackMs = 500, settleMs = 10_000, recoveryMs = 2_000, commandTimeoutMs = 5_000 } = options
  const { handOffMs = 100, drawsTokensInTurn = true, mayRefuse = /^/, rates = {} } = options
  const ordered = inOrder(events)
  const faults = new Faults(ordered, recoveryMs)
  return {
    events: ordered,
    calls: callsOf(ordered),
    holds: holdsOf(ordered),
    faults,
    sizes: new Sizes(ordered, faults),
    options: {
      slackMs,
      settleMs,
      recoveryMs,
      commandTimeoutMs,
      handOffMs,
      drawsTokensInTurn,
      mayRefuse,
      rates,
    },
  }
}
