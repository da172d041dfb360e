/** What repairing needs of its client. */
export interface RepairDeps {
  readonly everyMs: number
  readonly holds: { readonly all: readonly { repair(): void }[] }
}

/** Has holds request the masters that they are missing, every third of the watchdog time. */
export class Repair {
  readonly #deps: RepairDeps
  #interval: NodeJS.Timeout | undefined

  constructor(deps: RepairDeps) {
    this.#deps = deps
  }

  /** Does nothing when it has begun. */
  begin(): void {
    if (this.#interval) return
    this.#interval = setInterval(() => {
      for (const hold of this.#deps.holds.all) hold.repair()
    }, this.#deps.everyMs)
    // This timer must not keep the process alive.
    this.#interval.unref()
  }

  end(): void {
    clearInterval(this.#interval)
  }
}
