import { Agenda, type Due, type Time } from './agenda.js'
import { randomFrom, type Random } from './random.js'
import { Realm, type RealmOptions } from './realm.js'

/** Far more than any schedule takes. */
const mostSteps = 100_000

/** Several processes in one, under one true time: what happens next, happens at once, and all that follows from it before anything else. */
export class World implements Time {
  /** The true time, milliseconds. */
  nowMs = 0
  steps = 0
  readonly random: Random
  readonly #seed: number
  readonly #outside = new Agenda()
  readonly #realms: Realm[] = []
  #turns = 0

  constructor(seed: number) {
    this.#seed = seed
    this.random = randomFrom(seed)
  }

  /** Starts a process. What it draws depends on the seed and on how many there are. */
  start(name: string, options: RealmOptions = {}): Realm {
    const random = randomFrom(Math.imul(this.#seed, 31) + this.#realms.length + 1)
    const realm = new Realm(this, name, random, options)
    this.#realms.push(realm)
    return realm
  }

  /** Has something happen outside all processes. */
  after(ms: number, run: () => void): void {
    this.#outside.add(this.due(ms, run))
  }

  due(ms: number, run: () => void, timer?: Due['timer']): Due {
    return { atMs: this.nowMs + ms, turn: ++this.#turns, run, ...(timer && { timer }) }
  }

  /**
   * Goes on until that is so. Rejects when nothing is left to happen, or when that does not end.
   *
   * @param what - is to be so
   */
  async until(isSo: () => boolean, what: string): Promise<void> {
    for (const end = this.steps + mostSteps; ; this.steps += 1) {
      // By then all promises have been followed up.
      await new Promise((resolve) => setImmediate(resolve))
      if (isSo()) return
      const next = this.#next()
      if (!next) throw new Error(`nothing is left to happen, and not: ${what}`)
      if (this.steps >= end) throw new Error(`it goes on and on, and not: ${what}`)
      this.nowMs = Math.max(this.nowMs, next.due.atMs)
      next.take()
    }
  }

  /** Lets that much time pass. */
  async pass(ms: number): Promise<void> {
    let isOver = false
    this.after(ms, () => {
      isOver = true
    })
    await this.until(() => isOver, `${ms} ms to pass`)
  }

  #next(): { readonly due: Due; readonly take: () => void } | undefined {
    let found: Realm | undefined
    let due = this.#outside.next
    for (const realm of this.#realms) {
      const { next } = realm
      if (next && (!due || this.#isBefore(next, due))) [found, due] = [realm, next]
    }
    if (!due) return undefined
    const first = due
    if (found) return { due, take: () => found.take(first) }
    return {
      due,
      take: () => {
        this.#outside.remove(first)
        first.run()
      },
    }
  }

  /** What is late is due now. */
  #isBefore(a: Due, b: Due): boolean {
    const [atMs, otherMs] = [Math.max(a.atMs, this.nowMs), Math.max(b.atMs, this.nowMs)]
    return atMs < otherMs || (atMs === otherMs && a.turn < b.turn)
  }
}
