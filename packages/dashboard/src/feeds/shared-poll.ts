import { RefusedError } from '@holdfast/core'
import type { StoreState } from '../shared/payloads.js'

/** The pause after failed polls grows up to this, milliseconds. */
const longestPauseMs = 5_000

/** What all polls of one store know of it together. */
export class StoreContact {
  /** When it last answered any of them; `null`: never. */
  answeredAt: number | null = null
  /** When it was first asked without an answer since then. */
  askedSince: number | null = null

  answered(): void {
    this.answeredAt = Date.now()
    this.askedSince = null
  }
}

export interface PollDeps<T> {
  readonly contact: StoreContact
  /** Reads from the store once. */
  take(): Promise<T>
  /** How long to pause after that before reading again, milliseconds. */
  pauseMs(last: T | null): number
  /** The last reader has left. */
  idle?(): void
}

/** What was read last, and how the store is doing. */
export interface Reading<T> {
  readonly value: T | null
  readonly store: StoreState
}

const nothingRead = { value: null, store: { is: 'starting' } } as const

/**
 * Reads from the store for all who listen, and only while anyone does.
 *
 * | State   | What is true in it                        | What leaves it                                               |
 * | ------- | ----------------------------------------- | ------------------------------------------------------------ |
 * | idle    | no listener; nothing is sent              | a listener: taking, or resting if the pause is not over yet  |
 * | taking  | one read is in flight                     | its end: resting, or idle if the listeners have left         |
 * | resting | a timer runs to the next read             | the timer: taking; the last listener leaves: idle            |
 *
 * A listener that comes back while a read is still in flight joins that read: there is never more than one. One that comes back within
 * the pause gets what was read: coming and going does not make the store answer more often than staying.
 */
export class SharedPoll<T> {
  readonly #deps: PollDeps<T>
  readonly #listeners = new Set<(reading: Reading<T>) => void>()
  #reading: Reading<T> = nothingRead
  #timer: NodeJS.Timeout | undefined
  #isTaking = false
  #failures = 0
  /** Until then what was read is fresh enough. */
  #dueAt = -Infinity

  constructor(deps: PollDeps<T>) {
    this.#deps = deps
  }

  get reading(): Reading<T> {
    return this.isIdle && this.#dueInMs() <= 0 ? nothingRead : this.#reading
  }

  get isIdle(): boolean {
    return !this.#isTaking && this.#listeners.size === 0
  }

  /** Calls it after each read, until the returned function is called. */
  listen(listener: (reading: Reading<T>) => void): () => void {
    // A function of its own, so that the same listener may be given twice.
    const entry = (reading: Reading<T>): void => listener(reading)
    this.#listeners.add(entry)
    if (!this.#isTaking && this.#timer === undefined) this.#begin()
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#rest()
    }
  }

  /** Forgets all listeners. */
  stop(): void {
    this.#listeners.clear()
    this.#rest()
  }

  #begin(): void {
    const dueInMs = this.#dueInMs()
    if (dueInMs > 0) {
      this.#setTimer(dueInMs)
      return
    }
    this.#reading = nothingRead
    this.#failures = 0
    void this.#take()
  }

  #dueInMs(): number {
    return this.#dueAt - performance.now()
  }

  async #take(): Promise<void> {
    this.#timer = undefined
    this.#isTaking = true
    const askedAt = Date.now()
    try {
      const value = await this.#deps.take()
      this.#failures = 0
      this.#deps.contact.answered()
      this.#reading = { value, store: { is: 'live' } }
    } catch (error) {
      this.#failures += 1
      this.#reading = { ...this.#reading, store: this.#stateAfter(error, askedAt) }
    }
    this.#isTaking = false
    const pauseMs = this.#deps.pauseMs(this.#reading.value)
    const backoffMs = this.#failures === 0 ? 0 : Math.min(longestPauseMs, 250 * 2 ** this.#failures)
    this.#dueAt = performance.now() + Math.max(pauseMs, backoffMs)
    for (const listener of [...this.#listeners]) listener(this.#reading)
    this.#rest()
  }

  #stateAfter(error: unknown, askedAt: number): StoreState {
    const message = error instanceof Error ? error.message : String(error)
    const { contact } = this.#deps
    if (error instanceof RefusedError) {
      contact.answered()
      return { is: 'refusing', message }
    }
    const askedSince = (contact.askedSince ??= askedAt)
    return { is: 'failing', answeredAt: contact.answeredAt, askedSince, message }
  }

  /** Sets the timer if anyone listens. */
  #rest(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isTaking) return
    if (this.#listeners.size === 0) this.#deps.idle?.()
    else this.#setTimer(this.#dueInMs())
  }

  #setTimer(inMs: number): void {
    this.#timer = setTimeout(() => void this.#take(), inMs)
    // This timer must not keep the process alive: the server of the page does.
    this.#timer.unref()
  }
}
