import type { StateKind } from '../documents/steps/index.js'

/** The minimum number of steps between two searches for objects that are no longer in use. */
const leastStepsPerSweep = 1_000

/** The objects of one kind in a store, by id. One of which nothing is left is forgotten. */
export class StateTable<State> {
  readonly #kind: StateKind<State>
  readonly #states = new Map<string, State>()
  #stepsSinceSweep = 0

  constructor(kind: StateKind<State>) {
    this.#kind = kind
  }

  /** Runs a step on an object as it is now. */
  run<T>(id: string, nowUs: number, step: (state: State) => T): T {
    this.#sweepNowAndThen(nowUs)
    const known = this.#states.get(id)
    const state = known ?? this.#kind.make()
    this.#kind.settle(state, nowUs)
    const result = step(state)
    if (this.#kind.isEmpty(state)) this.#states.delete(id)
    else if (!known) this.#states.set(id, state)
    return result
  }

  /** Each object as the last step left it: what is past its time is still there. */
  entries(): Iterable<readonly [id: string, state: State]> {
    return this.#states
  }

  clear(): void {
    this.#states.clear()
  }

  /** On average, adds to each step the cost of looking at one object. */
  #sweepNowAndThen(nowUs: number): void {
    if (++this.#stepsSinceSweep < Math.max(leastStepsPerSweep, this.#states.size)) return
    this.#stepsSinceSweep = 0
    for (const [id, state] of this.#states) {
      this.#kind.settle(state, nowUs)
      this.#kind.sweep(state, nowUs)
      if (this.#kind.isEmpty(state)) this.#states.delete(id)
    }
  }
}
