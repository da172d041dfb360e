import type { HistoryEvent } from './event.js'
import type { Faults } from './faults.js'
import type { Span } from './spans.js'

/** The whole milliseconds of a server may be early or late by one, and so may those of a process. */
const roundingMs = 2

/** A size that an object may have been given for a while. */
interface Resize {
  readonly lock: string
  readonly size: number
  readonly keepMs: number
  readonly requestedMs: number
  /** When it was acknowledged; `Infinity`: never, so nobody knows when it runs. */
  readonly settledMs: number
}

/**
 * How many permits each object may have had in all. Between the request and the acknowledgement of a resize both sizes are
 * possible, and all are once a fault may have lost what is stored, or has moved the clock.
 */
export class Sizes {
  readonly #own: ReadonlyMap<string, number>
  readonly #resizes: readonly Resize[]
  readonly #faults: Faults

  /** Takes events in order. */
  constructor(events: readonly HistoryEvent[], faults: Faults) {
    const settled = new Map(
      events.flatMap((event) => (event.kind === 'resized' ? [[event.call, event.atMs]] : [])),
    )
    this.#own = new Map(events.flatMap((event) => (event.kind === 'sized' ? [[event.lock, event.size]] : [])))
    this.#resizes = events
      .filter((event) => event.kind === 'resizing')
      .map(({ lock, size, keepMs, atMs, call }) => {
        return { lock, size, keepMs, requestedMs: atMs, settledMs: settled.get(call) ?? Infinity }
      })
    this.#faults = faults
  }

  /** Whether it is a lock: nobody said otherwise. */
  isLock(lock: string): boolean {
    return !this.#own.has(lock)
  }

  /** Whether a resize was requested by then. */
  wasResized(lock: string, atMs: number): boolean {
    return this.#resizes.some((resize) => resize.lock === lock && resize.requestedMs <= atMs)
  }

  /** The largest size that was possible in that time. */
  most(lock: string, span: Span): number {
    return Math.max(...this.#possible(lock, span))
  }

  /** The smallest one. */
  least(lock: string, span: Span): number {
    return Math.min(...this.#possible(lock, span))
  }

  #possible(lock: string, span: Span): number[] {
    const own = this.#own.get(lock) ?? 1
    const resizes = this.#resizes.filter(
      (resize) => resize.lock === lock && resize.requestedMs <= span.untilMs,
    )
    if (resizes.length === 0) return [own]
    if (this.#faults.mayHaveLostData(lock, span.untilMs)) return [own, ...resizes.map(({ size }) => size)]
    const isOwnPossible = !resizes.some((resize) => lastsThrough(resize, resizes, span))
    const others = resizes.filter((resize) => !isOver(resize, resizes, span)).map(({ size }) => size)
    return isOwnPossible ? [own, ...others] : others
  }
}

/** Whether it was in force all that time, unless replaced by another that was in force for the rest of it. */
function lastsThrough(resize: Resize, all: readonly Resize[], { fromMs, untilMs }: Span): boolean {
  return (
    resize.settledMs < fromMs &&
    all
      .filter(({ settledMs }) => settledMs >= resize.requestedMs)
      .every(({ requestedMs, keepMs }) => requestedMs + keepMs - roundingMs > untilMs)
  )
}

/** Whether it had expired before that time, or been replaced. */
function isOver({ settledMs, keepMs }: Resize, all: readonly Resize[], { fromMs }: Span): boolean {
  return (
    settledMs + keepMs + roundingMs < fromMs ||
    all.some((later) => later.requestedMs > settledMs && later.settledMs < fromMs)
  )
}
