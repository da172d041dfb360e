import { monotonicMs } from './clock.js'
import { longestMs } from './options.js'

/** Something that is to be over by some time. */
export interface Bounded {
  /** It was not. Called once, unless it was deleted before. */
  onTimeout(): void
}

/**
 * Many time-outs on one timer: most of what is bounded ends long before its bound, so arming and clearing a timer for
 * each would be all that is left of the cost.
 */
export class Timeouts<Item extends Bounded = Bounded> {
  readonly #dueAt = new Map<Item, number>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity

  get size(): number {
    return this.#dueAt.size
  }

  add(bounded: Item, ms: number): void {
    const dueAt = monotonicMs() + ms
    this.#dueAt.set(bounded, dueAt)
    if (dueAt < this.#timerAt) this.#arm(dueAt)
  }

  /** Whether it was still pending. */
  delete(bounded: Item): boolean {
    return this.#dueAt.delete(bounded)
  }

  /** What is pending, without it being told. */
  clear(): Item[] {
    const pending = [...this.#dueAt.keys()]
    this.#dueAt.clear()
    clearTimeout(this.#timer)
    this.#timerAt = Infinity
    return pending
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#timerAt = at
    const inMs = Math.min(Math.max(0, Math.ceil(at - monotonicMs())), longestMs)
    // After a stall of the event loop what is waited for may lie in a socket already: let it be read first.
    this.#timer = setTimeout(() => setImmediate(this.#onTimer), inMs)
    this.#timer.unref()
  }

  readonly #onTimer = (): void => {
    this.#timerAt = Infinity
    const now = monotonicMs()
    let nextAt = Infinity
    for (const [bounded, dueAt] of this.#dueAt) {
      if (dueAt > now) nextAt = Math.min(nextAt, dueAt)
      else if (this.#dueAt.delete(bounded)) bounded.onTimeout()
    }
    if (nextAt < this.#timerAt) this.#arm(nextAt)
  }
}
