import { monotonicMs } from '../util/clock.js'
import type { Allowance } from './allowance.js'

/** Does work in pieces, with time for others in between: those of the event loop first, renewals above all. */
export interface Pace {
  /** Ends a piece: resolves when the next one may begin. */
  breathe(): Promise<void>
}

/** Gives the event loop a turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Of a caller of this process, who decides how often: each turn of the event loop gets one piece. */
export const ownPace: Pace = { breathe: turn }

/** Of work that strangers ask for: all of it together takes no more of the event loop's time than the allowance has. */
export class SharedPace implements Pace {
  readonly #workMs: Allowance
  readonly #rest: (ms: number) => Promise<boolean>
  #since = monotonicMs()

  /** @param rest - resolves with true after so many milliseconds, with false when the work is not wanted any more */
  constructor(workMs: Allowance, rest: (ms: number) => Promise<boolean>) {
    this.#workMs = workMs
    this.#rest = rest
  }

  async breathe(): Promise<void> {
    this.pause()
    await turn()
    await this.begin()
  }

  /** Ends a piece that is followed by waiting for others. */
  pause(): void {
    this.#workMs.spend(monotonicMs() - this.#since)
  }

  /** Resolves when a piece may begin: mostly at once. */
  async begin(): Promise<void> {
    // Several may have waited for the same allowance.
    for (let ms = this.#workMs.waitMs; ms > 0; ms = this.#workMs.waitMs) if (!(await this.#rest(ms))) break
    this.#since = monotonicMs()
  }
}
