import type { UnavailableError } from './errors.js'
import { monotonicMs } from './util/clock.js'

/** An outage that is shorter is no news, once the store has been reached. */
const blipMs = 2_000

/**
 * Says on the console that the store cannot be reached, for a program that listens to no `error` event: at once if it was
 * never reached, and once for each outage.
 */
export class UnreachableWarning {
  #wasReached = false
  #unreachableSince: number | undefined
  #isWarned = false

  /** The store replied for the first time, or again after a break. */
  reached(): void {
    this.#wasReached = true
    this.#unreachableSince = undefined
    this.#isWarned = false
  }

  note(error: UnavailableError): void {
    this.#unreachableSince ??= monotonicMs()
    if (this.#isWarned) return
    if (this.#wasReached && monotonicMs() - this.#unreachableSince < blipMs) return
    this.#isWarned = true
    process.emitWarning(
      `${error.message}. Holdfast keeps trying to reach it. To handle outages, listen to the client's 'error' event; without a listener this is shown once per outage.`,
      { type: 'HoldfastWarning', code: 'HOLDFAST_UNAVAILABLE' },
    )
  }
}
