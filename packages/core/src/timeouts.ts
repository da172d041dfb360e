import { monotonicMs } from './clock.js'
import { longestMs } from './options.js'

/** Something that is to be over by some time. At any time it is in one line of time-outs at most. */
export abstract class Bounded {
  /** @internal */
  dueAt = Infinity
  /** @internal Those before and after it in the line; itself while it is in none. */
  before: Bounded = this
  /** @internal */
  after: Bounded = this

  /** It was not. Called once, unless it was deleted before. */
  abstract onTimeout(): void
}

/** Where a line begins and ends. */
class End extends Bounded {
  onTimeout(): void {
    // Nobody waits for it.
  }
}

/**
 * Many time-outs on one timer: most of what is bounded ends long before its bound, so arming and clearing a timer for
 * each would be all that is left of the cost. They are linked to each other, so that coming and going leaves no garbage.
 */
export class Timeouts {
  readonly #end: Bounded = new End()
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity

  get size(): number {
    return this.#size
  }

  add(bounded: Bounded, ms: number): void {
    const last = this.#end.before
    bounded.dueAt = monotonicMs() + ms
    bounded.before = last
    bounded.after = this.#end
    last.after = bounded
    this.#end.before = bounded
    this.#size++
    if (bounded.dueAt < this.#timerAt) this.#arm(bounded.dueAt)
  }

  /** Whether it was still pending. */
  delete(bounded: Bounded): boolean {
    const { before, after } = bounded
    if (after === bounded) return false
    before.after = after
    after.before = before
    bounded.before = bounded
    bounded.after = bounded
    this.#size--
    return true
  }

  /** Ends all of them now, as when their time had run out. */
  timeOutAll(): void {
    clearTimeout(this.#timer)
    this.#timerAt = Infinity
    for (const bounded of this.#pending()) if (this.delete(bounded)) bounded.onTimeout()
  }

  #pending(): Bounded[] {
    const pending = []
    for (let bounded = this.#end.after; bounded !== this.#end; bounded = bounded.after) pending.push(bounded)
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
    for (const bounded of this.#pending()) {
      if (bounded.dueAt > now) nextAt = Math.min(nextAt, bounded.dueAt)
      else if (this.delete(bounded)) bounded.onTimeout()
    }
    if (nextAt < this.#timerAt) this.#arm(nextAt)
  }
}
