import { monotonicMs } from './clock.js'

/** The latest of the errors that are reported as they come, for a wait that ends without a reply and has to say why. */
export class LastError<E extends Error> {
  #error: E | undefined
  #at = 0

  note(error: E): void {
    this.#error = error
    this.#at = monotonicMs()
  }

  /** What was noted at that instant or after it. */
  since(at: number): E | undefined {
    return this.#at >= at ? this.#error : undefined
  }
}
