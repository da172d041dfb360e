import type { StoreFacts } from '../engine/store-facts.js'
import { monotonicMs } from '../util/clock.js'
import type { HoldfastError } from './errors.js'

/** The latest of the errors that a store reports as they come, for a wait that ends without a reply and has to say why. */
export class LastStoreError {
  readonly #store: Pick<StoreFacts, 'doubt'>
  #error: HoldfastError | undefined
  #at = 0

  constructor(store: Pick<StoreFacts, 'doubt'>) {
    this.#store = store
  }

  note(error: HoldfastError): void {
    this.#error = error
    this.#at = monotonicMs()
  }

  /** What was noted at that instant or after it, or what may keep the store from replying now. */
  since(at: number): HoldfastError | undefined {
    return (this.#at >= at ? this.#error : undefined) ?? this.#store.doubt
  }
}
