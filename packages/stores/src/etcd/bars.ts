import { isWrittenAt } from './wire/kv.js'

/**
 * Marks that refuse requests of an owner, by their keys. A request names the mark that it knows of: none at first.
 *
 * | An owner is | Its mark                    | Requests that were sent before | Those that are sent after |
 * | ----------- | --------------------------- | ------------------------------ | ------------------------- |
 * | fenced      | is known to its later ones  | refused                        | not refused               |
 * | barred      | is known to none            | refused                        | refused                   |
 */
export class Bars {
  readonly #fences = new Map<string, number>()
  readonly #bars = new Map<string, number>()

  /** What a request of the owner of this mark makes a condition. */
  condition(mark: string): Buffer {
    return isWrittenAt(mark, this.#fences.get(mark) ?? 0)
  }

  /** The mark was written at this revision. */
  fenced(mark: string, revision: number): void {
    this.#fences.set(mark, revision)
  }

  /** The mark was written, and is to stay until then. */
  barred(mark: string, untilMs: number): void {
    this.#fences.delete(mark)
    this.#bars.set(mark, untilMs)
  }

  /** Otherwise only a search that ran late can have refused a request. */
  isBarred(mark: string): boolean {
    return this.#bars.has(mark)
  }

  /** Takes marks that are no longer needed: some of them, for one transaction. */
  expired(nowMs: number): string[] {
    const expired: string[] = []
    for (const [mark, untilMs] of this.#bars) {
      // They come in order, as all are kept for the same time.
      if (untilMs > nowMs || expired.length === mostAtOnce) break
      expired.push(mark)
      this.#bars.delete(mark)
    }
    return expired
  }

  /** The session has ended, and its marks with it. */
  clear(): void {
    this.#fences.clear()
    this.#bars.clear()
  }
}

const mostAtOnce = 32
