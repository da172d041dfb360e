import { hash, randomBytes } from 'node:crypto'
import type { GrantNotice } from '../engine/host.js'
import { monotonicMs } from '../time/time.js'

/** How far ahead of the store's clock a fencing token may be, microseconds: a day. */
const tokenLeadUs = 86_400_000_000

/** Whether the numbers of a notice may be a store's. */
export const isPlausible = ({ token, leaseMs, serverUs }: GrantNotice): boolean =>
  Number.isSafeInteger(token) &&
  Number.isSafeInteger(leaseMs) &&
  (serverUs === undefined || (Number.isSafeInteger(serverUs) && token <= serverUs + tokenLeadUs))

/** 96 bits: whoever guesses has as many tries as there are messages. */
const proofLength = 16

/**
 * What the notification of a grant has to repeat. Each owner's is derived from a secret of this client and store, so it costs no
 * memory per waiter, and that of an owner whose wait is over can still be checked.
 */
export class Proofs {
  readonly #secret = randomBytes(24).toString('base64url')

  /** The proof of one owner; others than the store and this client learn it with the grant at the earliest. */
  of(owner: string): string {
    // Truncated, so that it cannot be extended to that of a longer text.
    return hash('sha256', `${this.#secret} ${owner}`, 'base64url').slice(0, proofLength)
  }
}

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
