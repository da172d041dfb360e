/** What the process began with: fake timers of tests put others in their place. */
const real = { Date, setTimeout, performance }

/** What tells the time: its identity changes when fake timers are installed or removed. */
interface Source {
  readonly identity: unknown
  readonly nowMs: number
}

/**
 * `performance`, which Jest and Vitest from version 3 on fake along with `setTimeout`. Timers of node:test and of
 * Vitest 2 leave it alone and fake only `Date`; a `Date` that is replaced alone (to fix today's date) is ignored.
 */
function currentSource(): Source {
  if (Date !== real.Date && setTimeout !== real.setTimeout && performance === real.performance) {
    return { identity: Date, nowMs: Date.now() }
  }
  return { identity: performance, nowMs: performance.now() }
}

/** The store's clock. It follows fake timers, never goes back, and stands still while they are installed or removed. */
export class StoreClock {
  readonly #startedAtMs = Date.now()
  #elapsedMs = 0
  #last = currentSource()

  /** Microseconds since the epoch, an integer. */
  nowUs(): number {
    const last = this.#last
    const current = currentSource()
    this.#last = current
    if (current.identity === last.identity) this.#elapsedMs += Math.max(0, current.nowMs - last.nowMs)
    return this.#startedAtMs * 1_000 + Math.floor(this.#elapsedMs * 1_000)
  }

  advance(ms: number): void {
    this.#elapsedMs += ms
  }
}
