import type { Events, HoldfastEvents, HoldfastListener } from '../events/events.js'
import { monotonicMs } from '../util/clock.js'

/** The bounds by which reports count waits, milliseconds. */
export const waitBucketsMs: readonly number[] = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
]

/** A client that was not asked for so long stops counting. */
const restMs = 60_000

interface Meterable {
  on<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): void
  off<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): void
}

/** Counts waits and hand-offs of a client for as long as reports are asked for: nobody else pays for it. */
export class WaitMeter {
  readonly #events: Meterable
  #buckets: number[] = []
  #handOffs = 0
  #readAt = -Infinity
  #rest: NodeJS.Timeout | undefined

  constructor(events: Pick<Events, 'on' | 'off'>) {
    this.#events = events
  }

  /** What was counted so far. Begins to count when it does not yet. */
  read(): { readonly buckets: readonly number[]; readonly handOffs: number } {
    this.#readAt = monotonicMs()
    if (!this.#rest) this.#begin()
    return { buckets: [...this.#buckets], handOffs: this.#handOffs }
  }

  /** Stops counting. */
  end(): void {
    clearTimeout(this.#rest)
    this.#rest = undefined
    this.#events.off('acquired', this.#onAcquired)
    this.#events.off('granted', this.#onGranted)
  }

  #begin(): void {
    this.#buckets = new Array<number>(waitBucketsMs.length + 1).fill(0)
    this.#handOffs = 0
    this.#events.on('acquired', this.#onAcquired)
    this.#events.on('granted', this.#onGranted)
    this.#restAfter(restMs)
  }

  #restAfter(ms: number): void {
    this.#rest = setTimeout(() => {
      const leftMs = this.#readAt + restMs - monotonicMs()
      if (leftMs > 0) this.#restAfter(leftMs)
      else this.end()
    }, ms)
    this.#rest.unref()
  }

  readonly #onAcquired = ({ holdCount, waitedMs }: HoldfastEvents['acquired'][0]): void => {
    if (holdCount > 1) return
    const found = waitBucketsMs.findIndex((bound) => waitedMs <= bound)
    const bucket = found < 0 ? waitBucketsMs.length : found
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
  }

  readonly #onGranted = (): void => {
    this.#handOffs++
  }
}
