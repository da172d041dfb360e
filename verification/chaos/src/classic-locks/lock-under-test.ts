import { nowMs, uniqueName, until, type HistoryEvent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'

/** `Omit` that keeps the members of a union apart. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** The lock that a directed schedule runs on, in one Redis, and the history of what happened. */
export class LockUnderTest implements AsyncDisposable {
  readonly url: string
  readonly lock = uniqueName('stage')
  /** The lock's key. */
  readonly key: string
  readonly #redis: Redis
  readonly #events: HistoryEvent[] = []

  constructor(url: string, keyPrefix: string) {
    this.url = url
    this.key = `${keyPrefix}${this.lock}`
    this.#redis = new Redis(url)
  }

  /** The events so far, in order of time. */
  get history(): readonly HistoryEvent[] {
    return [...this.#events].sort((a, b) => a.atMs - b.atMs)
  }

  /** Notes an event that happens now. */
  note(event: Without<HistoryEvent, 'atMs'>): void {
    this.#events.push({ ...event, atMs: nowMs() })
  }

  /** Notes an event that another process saw. */
  add(event: HistoryEvent): void {
    this.#events.push(event)
  }

  /** Notes a fault that happens to one process and excuses nothing. */
  noteFault(process: string, fault: string): void {
    this.note({
      kind: 'fault',
      id: process,
      fault,
      disturbs: [process],
      excuses: [],
      locks: 'all',
    })
  }

  noteHealed(process: string): void {
    this.note({ kind: 'healed', id: process })
  }

  async untilHeld(): Promise<void> {
    await until(async () => (await this.#redis.exists(this.key)) === 1, { what: `${this.key} to be held` })
  }

  /** Whether the lock is held without a time to live, so that it never becomes free by itself. */
  async isHeldWithoutTtl(): Promise<boolean> {
    return (await this.#redis.pttl(this.key)) === -1
  }

  /** Records a lock that would never expire, and removes it. */
  async clear(): Promise<void> {
    if (await this.isHeldWithoutTtl()) {
      this.note({ kind: 'leftover', lock: this.lock, what: 'a key without time to live' })
    }
    await this.#redis.del(this.key)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#redis.disconnect()
    return Promise.resolve()
  }
}
