import { dropTombstones, freeLock, isEmpty, settle, type LockState } from './lock-state.js'

/** The minimum number of steps between two searches for locks that are no longer in use. */
const leastStepsPerSweep = 1_000

/** The locks of one store, by id. A lock of which nothing is left is forgotten. */
export class LockTable {
  readonly #locks = new Map<string, LockState>()
  #stepsSinceSweep = 0

  /** Runs a step on a lock as it is now. */
  run<T>(id: string, nowUs: number, step: (state: LockState) => T): T {
    this.#sweepNowAndThen(nowUs)
    const known = this.#locks.get(id)
    const state = known ?? freeLock()
    settle(state, nowUs)
    const result = step(state)
    if (isEmpty(state)) this.#locks.delete(id)
    else if (!known) this.#locks.set(id, state)
    return result
  }

  /** Each lock as the last step left it: what is past its time is still there. */
  entries(): Iterable<readonly [id: string, state: LockState]> {
    return this.#locks
  }

  clear(): void {
    this.#locks.clear()
  }

  /** On average, adds to each step the cost of looking at one lock. */
  #sweepNowAndThen(nowUs: number): void {
    if (++this.#stepsSinceSweep < Math.max(leastStepsPerSweep, this.#locks.size)) return
    this.#stepsSinceSweep = 0
    for (const [id, state] of this.#locks) {
      settle(state, nowUs)
      dropTombstones(state, nowUs)
      if (isEmpty(state)) this.#locks.delete(id)
    }
  }
}
