import { ClosedError } from './errors.js'

/** Whether a client closes, for all that begins something on its behalf. */
export class Closing {
  #hasBegun = false

  begin(): void {
    this.#hasBegun = true
  }

  /** @throws `ClosedError` once the client closes */
  assertOpen(lockName?: string): void {
    if (this.#hasBegun) throw new ClosedError('the Holdfast client is closed', { lockName })
  }
}
