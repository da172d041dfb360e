/** What repairing needs of its client. */
export interface RepairDeps {
  readonly everyMs: number
  readonly holds: { readonly all: readonly { repair(): void }[] }
  readonly onRound: () => void
}

/** Has holds request the masters that they are missing, and waits looked at, every third of the watchdog time. */
export class Repair {
  readonly #deps: RepairDeps
  #interval: NodeJS.Timeout | undefined

  constructor(deps: RepairDeps) {
    this.#deps = deps
  }

  /** Does nothing when it has begun. */
  begin(): void {
    if (this.#interval) return
    const { everyMs, holds, onRound } = this.#deps
    this.#interval = setInterval(() => {
      for (const hold of holds.all) hold.repair()
      onRound()
    }, everyMs)
    // This timer must not keep the process alive.
    this.#interval.unref()
  }

  end(): void {
    clearInterval(this.#interval)
  }
}
