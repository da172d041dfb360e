import type { Random } from './random.js'

/** Something that will happen. */
export interface Due {
  /** In true time. */
  atMs: number
  /** Orders what is due at one instant. */
  turn: number
  readonly run: () => void
  /** Of a timer: how long it runs, and whether it begins again, by the clock of its process. */
  readonly timer?: { readonly ms: number; repeats: boolean }
}

/** What all processes have in common. */
export interface Time {
  /** The true time, milliseconds. */
  readonly nowMs: number
  readonly random: Random
  /** Something that will happen after that much of it. */
  due(ms: number, run: () => void, timer?: Due['timer']): Due
}

/** What is due, soonest first. */
export class Agenda {
  readonly #all: Due[] = []

  get next(): Due | undefined {
    return this.#all[0]
  }

  get timers(): number {
    return this.#all.filter(({ timer }) => timer).length
  }

  add(due: Due): void {
    let at = this.#all.length
    for (let before = this.#all[at - 1]; before && before.atMs > due.atMs; before = this.#all[at - 1]) at -= 1
    this.#all.splice(at, 0, due)
  }

  remove(due: Due): void {
    const at = this.#all.indexOf(due)
    if (at !== -1) this.#all.splice(at, 1)
  }

  /** Has all timers end that much later. */
  postponeTimers(ms: number): void {
    const all = this.#all.splice(0)
    for (const due of all) {
      if (due.timer) due.atMs += ms
      this.add(due)
    }
  }

  clear(): void {
    this.#all.length = 0
  }
}
