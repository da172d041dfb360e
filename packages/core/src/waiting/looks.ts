import { monotonicMs } from '../util/clock.js'

/** Each may look once in this time, however many messages ask for it. */
const lookEveryMs = 1_000

/** How many more looks a client has per second, and at once, for all that it waits for or holds. */
const moreLooksPerSecond = 200

/**
 * Bounds how often messages that prove nothing make this client ask the store. Anyone may publish, so at worst each waiter and
 * each hold asks once a second, and all together `moreLooksPerSecond` times more. A look beyond that is postponed, not dropped.
 *
 * A look that finds that something has happened does not count: beside Redisson's clients a lock may change hands a thousand times a
 * second, and a waiter whose turn is announced and postponed loses it.
 */
export class Looks {
  readonly #lookedAt = new WeakMap<object, number>()
  readonly #tookMore = new WeakSet()
  readonly #postponed = new Map<object, NodeJS.Timeout>()
  #more = moreLooksPerSecond
  #refilledAt = monotonicMs()

  /** Runs `look` now, or as soon as the subject may look again. One that is postponed stands for all that follow it. */
  request(subject: object, look: () => void): void {
    if (this.#postponed.has(subject)) return
    const lookedAt = this.#lookedAt.get(subject) ?? -Infinity
    const inMs = Math.ceil(lookedAt + lookEveryMs - monotonicMs())
    if (inMs <= 0) {
      this.#look(subject, look)
      return
    }
    if (this.take()) {
      this.#tookMore.add(subject)
      this.#look(subject, look)
      return
    }
    const timer = setTimeout(() => {
      this.#postponed.delete(subject)
      this.#look(subject, look)
    }, inMs)
    timer.unref()
    this.#postponed.set(subject, timer)
  }

  /** Whether one more look may be sent that is no subject's own. */
  take(): boolean {
    const now = monotonicMs()
    const refilled = ((now - this.#refilledAt) / 1_000) * moreLooksPerSecond
    this.#more = Math.min(moreLooksPerSecond, this.#more + refilled)
    this.#refilledAt = now
    if (this.#more < 1) return false
    this.#more--
    return true
  }

  /** The subject found that something had happened: its latest look does not count. */
  foundChange(subject: object): void {
    this.#lookedAt.delete(subject)
    if (this.#tookMore.delete(subject)) this.#more = Math.min(moreLooksPerSecond, this.#more + 1)
  }

  close(): void {
    for (const timer of this.#postponed.values()) clearTimeout(timer)
    this.#postponed.clear()
  }

  #look(subject: object, look: () => void): void {
    this.#lookedAt.set(subject, monotonicMs())
    look()
  }
}
