import { longestMs, monotonicMs } from './clock.js'
import { LinkedList, ListNode } from './linked-list.js'

/** Something that may only take so long. */
export abstract class TimeLimited {
  /** @internal */
  dueAt = Infinity
  /** @internal */
  readonly node: ListNode<TimeLimited> = new ListNode<TimeLimited>(this)

  /** Called once when the limit passes, unless it was deleted first. */
  abstract onTimeout(): void
}

/**
 * Many time limits on one timer: most of what is limited ends long before its limit, so arming and clearing a timer for
 * each would be most of the cost.
 */
export class Timeouts {
  readonly #pending = new LinkedList<TimeLimited>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity

  get size(): number {
    return this.#pending.size
  }

  add(item: TimeLimited, ms: number): void {
    item.dueAt = monotonicMs() + ms
    this.#pending.add(item.node)
    if (item.dueAt < this.#timerAt) this.#arm(item.dueAt)
  }

  /** Whether it was still pending. */
  delete(item: TimeLimited): boolean {
    return this.#pending.delete(item.node)
  }

  /** Ends all of them now, as if their time had run out. */
  timeOutAll(): void {
    clearTimeout(this.#timer)
    this.#timerAt = Infinity
    for (const item of this.#pending.toArray()) if (this.delete(item)) item.onTimeout()
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#timerAt = at
    const inMs = Math.min(Math.max(0, Math.ceil(at - monotonicMs())), longestMs)
    // After a stall of the event loop the reply may lie in a socket already: let it be read first.
    this.#timer = setTimeout(() => setImmediate(this.#onTimer), inMs)
    this.#timer.unref()
  }

  readonly #onTimer = (): void => {
    this.#timerAt = Infinity
    const now = monotonicMs()
    let nextAt = Infinity
    for (const item of this.#pending.toArray()) {
      if (item.dueAt > now) nextAt = Math.min(nextAt, item.dueAt)
      else if (this.delete(item)) item.onTimeout()
    }
    if (nextAt < this.#timerAt) this.#arm(nextAt)
  }
}
