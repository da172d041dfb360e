import { rowsPerSweep } from './sql.js'

/** Milliseconds until the next sweep, by half as much longer at random: the first; there is more; nothing or little was over. */
const firstMs = 2_000
const moreMs = 100
const laterMs = 60_000

/**
 * Has rows deleted that nobody needs any more, in small batches beside the steps of the client, so that the table does not grow with the
 * number of names that are used once.
 */
export class Sweeper {
  readonly #sweep: () => Promise<number>
  #timer: NodeJS.Timeout | undefined
  #state: 'idle' | 'running' | 'closed' = 'idle'

  /** @param sweep - deletes up to {@link rowsPerSweep} rows; resolves with how many it found */
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
    this.#timer = setTimeout(() => void this.#run(), inMs * (1 + Math.random() / 2))
    // This timer must not keep the process alive.
    this.#timer.unref()
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    // A server that is away is looked for by those who need it.
    const found = await this.#sweep().catch(() => 0)
    this.#schedule(found < rowsPerSweep ? laterMs : moreMs)
  }
}
