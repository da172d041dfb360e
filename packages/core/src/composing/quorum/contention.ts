import { monotonicMs } from '../../util/clock.js'

const maxRemembered = 1_000

/** A queue master that was free once may only have been so between two others; one that was free so often in a row is not contended. */
const freeInARow = 4

interface Note {
  readonly until: number
  timesFree: number
}

/**
 * Which locks were found busy at their queue master lately. Requesting all masters of such a lock would mostly bring votes that have
 * to be given back, so the queue master is requested first, and alone.
 */
export class Contention {
  readonly #rememberMs: number
  readonly #notes = new Map<string, Note>()

  constructor(rememberMs: number) {
    this.#rememberMs = rememberMs
  }

  isLikely(id: string): boolean {
    return (this.#notes.get(id)?.until ?? 0) > monotonicMs()
  }

  foundBusy(id: string): void {
    this.#notes.delete(id)
    this.#notes.set(id, { until: monotonicMs() + this.#rememberMs, timesFree: 0 })
    const [oldest] = this.#notes.keys()
    if (this.#notes.size > maxRemembered && oldest !== undefined) this.#notes.delete(oldest)
  }

  foundFree(id: string): void {
    const note = this.#notes.get(id)
    if (note && ++note.timesFree >= freeInARow) this.#notes.delete(id)
  }
}
