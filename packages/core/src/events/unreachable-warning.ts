import type { UnavailableError } from '../errors/errors.js'
import { warnProcess } from './process-warning.js'
import { monotonicMs } from '../util/clock.js'

/** Once the store has been reached, shorter outages are not reported. */
const blipMs = 2_000

/**
 * Warns on the console that the store cannot be reached, if the program does not listen to `error` events: at once if the
 * store was never reached, and once for each outage.
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
    warnProcess(
      'HOLDFAST_UNAVAILABLE',
      `${error.message.replace(/\.$/, '')}. Holdfast keeps trying to reach it. To handle outages, listen to the client's 'error' event; without a listener this is shown once per outage.`,
    )
  }
}
