import type { DefineTest, TestFunctions } from '../runner.js'

/** A scenario that was defined, and not run yet. */
export interface Collected {
  /** The title of its part. */
  readonly part: string
  readonly title: string
  /** `undefined` if it cannot run: it takes a hook that the engine under test does not offer. */
  readonly run: (() => Promise<void>) | undefined
}

/** Collects the scenarios of parts, as a runner that runs nothing. */
export class Collector implements TestFunctions {
  readonly scenarios: Collected[] = []
  readonly it: DefineTest & { readonly skip: DefineTest }
  readonly before = nothing
  readonly after = nothing
  readonly beforeEach = nothing
  readonly afterEach = nothing
  #part = ''

  constructor() {
    const define: DefineTest = (title, run) => this.scenarios.push({ part: this.#part, title, run })
    const skip: DefineTest = (title) => this.scenarios.push({ part: this.#part, title, run: undefined })
    this.it = Object.assign(define, { skip })
  }

  readonly describe = (title: string, define: () => void): void => {
    this.#part = title
    define()
  }
}

const nothing = (): void => undefined
