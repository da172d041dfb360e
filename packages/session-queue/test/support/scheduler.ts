/** Something that may happen next. */
interface Action {
  readonly run: () => void
}

/** Chooses one of so many. */
export type Choose = (count: number) => number

/** Things that happen in order among themselves, and in any order beside those of other lines. */
export class Line {
  readonly actions: Action[] = []

  add(run: () => void): void {
    this.actions.push({ run })
  }
}

/** Has one thing happen after another, and lets all that follows from it at once follow, until nothing is left to happen. */
export class Scheduler {
  readonly #lines: Line[] = []
  readonly #check: () => void

  /** @param check - called after each */
  constructor(check: () => void) {
    this.#check = check
  }

  line(): Line {
    const line = new Line()
    this.#lines.push(line)
    return line
  }

  async run(choose: Choose, mostSteps = 2_000): Promise<void> {
    for (let steps = 0; ; steps += 1) {
      // Chains of promises end within one turn of the event loop.
      await new Promise(setImmediate)
      const ready = this.#lines.filter(({ actions }) => actions.length > 0)
      if (ready.length === 0) return
      if (steps === mostSteps) throw new Error(`it goes on after ${mostSteps} steps`)
      const line = ready[ready.length === 1 ? 0 : choose(ready.length)]
      line?.actions.shift()?.run()
      this.#check()
    }
  }
}

/** The first of all, but for one place, where it is another one: each departure from the usual order, one by one. */
export function departing(
  at: number,
  by: number,
): { readonly choose: Choose; wasWider: boolean; wasLonger: boolean } {
  let place = 0
  const departure = {
    wasWider: false,
    wasLonger: false,
    choose: (count: number): number => {
      const isHere = place++ === at
      if (isHere) departure.wasLonger = true
      if (!isHere || by >= count) return 0
      departure.wasWider = true
      return by
    },
  }
  return departure
}

/** Any order, the same for the same seed. */
export function shuffled(seed: number): Choose {
  let state = seed
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}
