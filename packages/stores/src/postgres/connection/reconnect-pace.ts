import { backoffMs } from '@holdfast/core/engine'
import { isRefusal } from '../errors.js'

/** Between two attempts, milliseconds: after the first failure, and at most, early in an outage and late in it. */
const firstMs = 50
const earlyMs = 250
const lateMs = 2_000

/** How much longer an outage may seem than it is: pauses are at most this share of it. */
const outageShare = 1 / 8

/**
 * How long to pause before the next attempt to connect. A holder learns only then what a server that is back no longer knows,
 * so pauses stay short while an outage is young, and grow with it. Drawn at random from the upper half, as `backoffMs` does.
 *
 * @param failures - attempts that failed in a row, at least 1
 * @param outageMs - the time since the first of them
 */
export function pauseMs(failures: number, outageMs: number, random = Math.random()): number {
  const longestMs = Math.min(Math.max(earlyMs, outageMs * outageShare), lateMs)
  return backoffMs(failures, { firstMs, longestMs }, random)
}

/** Paces the attempts to connect of one connection. */
export class ReconnectPace {
  #failures = 0
  #failingSince = Infinity

  /** An attempt failed, or a connection broke: how long to pause before the next attempt, milliseconds. */
  failed(cause: Error): number {
    const now = performance.now()
    this.#failures += 1
    this.#failingSince = Math.min(this.#failingSince, now)
    // A server that refuses will do so for a while: there is no outage to see the end of.
    const outageMs = isRefusal(cause) ? Infinity : now - this.#failingSince
    return pauseMs(this.#failures, outageMs)
  }

  succeeded(): void {
    this.#failures = 0
    this.#failingSince = Infinity
  }
}
