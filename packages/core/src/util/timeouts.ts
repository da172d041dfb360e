import { monotonicMs } from './clock.js'
import { Link, LinkedList } from './linked-list.js'
import { longestMs } from '../options.js'

/** Something that is to be over by some time. */
export abstract class Bounded {
  /** @internal */
  dueAt = Infinity
  /** @internal */
  readonly link: Link<Bounded> = new Link<Bounded>(this)

  /** It was not. Called once, unless it was deleted before. */
  abstract onTimeout(): void
}

/**
 * Many time-outs on one timer: most of what is bounded ends long before its bound, so arming and clearing a timer for
 * each would be all that is left of the cost.
 */
export class Timeouts {
  readonly #pending = new LinkedList<Bounded>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity

  get size(): number {
    return this.#pending.size
  }

  add(bounded: Bounded, ms: number): void {
    bounded.dueAt = monotonicMs() + ms
    this.#pending.add(bounded.link)
    if (bounded.dueAt < this.#timerAt) this.#arm(bounded.dueAt)
  }

  /** Whether it was still pending. */
  delete(bounded: Bounded): boolean {
    return this.#pending.delete(bounded.link)
  }

  /** Ends all of them now, as when their time had run out. */
  timeOutAll(): void {
    clearTimeout(this.#timer)
    this.#timerAt = Infinity
    for (const bounded of this.#pending.toArray()) if (this.delete(bounded)) bounded.onTimeout()
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
    for (const bounded of this.#pending.toArray()) {
      if (bounded.dueAt > now) nextAt = Math.min(nextAt, bounded.dueAt)
      else if (this.delete(bounded)) bounded.onTimeout()
    }
    if (nextAt < this.#timerAt) this.#arm(nextAt)
  }
}
