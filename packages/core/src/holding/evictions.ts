import { monotonicMs } from '../util/clock.js'

/** More than an operator evicts at once. */
const mostNotes = 1_000
/**
 * An eviction follows its announcement within two commands' time, and so does its notification. One that comes much later is
 * another eviction: the announced one failed, or found another holder.
 */
const noteKeptMs = 60_000

/** Whether it can be who evicts an owner. The text goes into error messages and logs, so it must be printable. */
export const isEvictor = (by: unknown): by is string =>
  typeof by === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(by)

/** Who is about to evict which owners of this client. The store reports an eviction, but not by whom. */
export class Evictions {
  readonly #notes = new Map<string, { readonly by: string; readonly at: number }>()

  /** @param owner - of this client: notes about others would take the place of those about its own */
  note(owner: string, by: string): void {
    this.#notes.delete(owner)
    this.#notes.set(owner, { by, at: monotonicMs() })
    // An eviction that was announced may have found another holder: its note is never asked for.
    const [oldest] = this.#notes.keys()
    if (this.#notes.size > mostNotes && oldest !== undefined) this.#notes.delete(oldest)
  }

  /** Who evicts this owner, if that was announced a short time ago. Forgets it. */
  take(owner: string): string | undefined {
    const note = this.#notes.get(owner)
    this.#notes.delete(owner)
    return note && monotonicMs() - note.at <= noteKeptMs ? note.by : undefined
  }
}
