/** The shortest time between two sweeps of one client, and by how much more it may be, milliseconds. */
const everyMs = 60_000
const jitterMs = 30_000

/** Has rows deleted that no step needs any more: now and then, and never while a caller waits. */
export class Sweeper {
  readonly #sweep: () => Promise<void>
  #dueAt = nextAt()

  constructor(sweep: () => Promise<void>) {
    this.#sweep = sweep
  }

  async sweepIfDue(): Promise<void> {
    if (performance.now() < this.#dueAt) return
    this.#dueAt = nextAt()
    await this.#sweep()
  }
}

const nextAt = (): number => performance.now() + everyMs + jitterMs * Math.random()
