import { monotonicMs } from '../util/clock.js'

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

/** So many are looked at in one piece. */
const pieceSize = 2_000

/** The oldest of those that are wanted, the oldest first, without sorting them all. */
export async function oldestOf<T>(
  all: readonly T[],
  wanted: { readonly most: number; is(item: T): boolean; since(item: T): number },
  pace: Pace,
): Promise<T[]> {
  const { most } = wanted
  let kept: T[] = []
  const trim = (): void => {
    kept.sort((a, b) => wanted.since(a) - wanted.since(b))
    kept = kept.slice(0, most)
  }
  for (let start = 0; start < all.length; start += pieceSize) {
    if (start > 0) await pace.breathe()
    for (const item of all.slice(start, start + pieceSize)) if (wanted.is(item)) kept.push(item)
    if (kept.length >= 2 * most) trim()
  }
  trim()
  return kept
}

/** What may be spent on the wishes of strangers: `most` at once, `perSecond` in the long run. The last expense may overdraw it. */
export class Allowance {
  readonly #most: number
  readonly #perSecond: number
  #left: number
  #at = monotonicMs()

  constructor(most: number, perSecond: number) {
    this.#most = most
    this.#perSecond = perSecond
    this.#left = most
  }

  /** Whether nothing is missing from it. */
  get isFull(): boolean {
    this.#refill()
    return this.#left === this.#most
  }

  /** How long until something may be spent again, milliseconds; 0: now. */
  get waitMs(): number {
    this.#refill()
    return this.#left > 0 ? 0 : Math.ceil((1_000 * -this.#left) / this.#perSecond) + 1
  }

  spend(amount: number): void {
    this.#refill()
    this.#left -= amount
  }

  #refill(): void {
    const now = monotonicMs()
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) / 1_000) * this.#perSecond)
    this.#at = now
  }
}
