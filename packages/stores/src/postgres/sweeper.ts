/** The most rows of each table that one sweep deletes: a few milliseconds' work, which the steps behind it wait for. */
export const rowsPerSweep = 250

/** Milliseconds until the next sweep, and by how much more of that time it may be. */
const firstMs = 2_000
const jitter = 0.5
/** There was more to delete; another client sweeps just now; some rows were over. */
const moreMs = 50
const busyMs = 1_000
const someMs = 5_000
/** Nothing was over, as often as it takes to get there: each time twice as long. */
const longestMs = 80_000

/**
 * Has rows deleted that no step needs any more, in batches beside the calls of the client: again at once while there are more
 * than fit into one, and more and more rarely while there are none. A client that does nothing else does so too, so that
 * tables do not grow with the number of names that are used once.
 *
 * | State   | true in it                                             | left by           |
 * | ------- | ------------------------------------------------------ | ----------------- |
 * | idle    | the client has not been used                           | start() → running |
 * | running | a timer runs to the next sweep, or one is under way    | close() → closed  |
 * | closed  | no timer runs, and none is set                         |                   |
 */
export class Sweeper {
  readonly #sweep: () => Promise<number>
  #state: 'idle' | 'running' | 'closed' = 'idle'
  #timer: NodeJS.Timeout | undefined
  #pauseMs = someMs

  /** @param sweep - deletes up to {@link rowsPerSweep} rows of each table; resolves with how many, or -1 if another one runs */
  constructor(sweep: () => Promise<number>) {
    this.#sweep = sweep
  }

  start(): void {
    if (this.#state !== 'idle') return
    this.#state = 'running'
    this.#schedule(firstMs)
  }

  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#timer)
  }

  #schedule(inMs: number): void {
    if (this.#state === 'closed') return
    this.#timer = setTimeout(() => void this.#run(), inMs * (1 + jitter * Math.random()))
    // This timer must not keep the process alive.
    this.#timer.unref()
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    // A server that is away is looked for by those who need it.
    const deleted = await this.#sweep().catch(() => 0)
    this.#schedule(this.#pauseAfter(deleted))
  }

  #pauseAfter(deleted: number): number {
    if (deleted < 0) return busyMs
    if (deleted > 0) {
      this.#pauseMs = someMs
      return deleted < rowsPerSweep ? someMs : moreMs
    }
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestMs)
    return this.#pauseMs
  }
}
