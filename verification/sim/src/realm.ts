import { Agenda, type Due, type Time } from './agenda.js'
import type { Random } from './random.js'

export interface RealmOptions {
  /** How fast its clocks go: 1 is right. */
  readonly rate?: number
  /** What its monotonic clock shows in the beginning. */
  readonly offsetMs?: number
}

/** What wall clocks show in the beginning: any instant will do. */
export const epochMs = 1_700_000_000_000

/** Less than this is rounding. */
const instantMs = 1e-6

/** A process: with clocks, timers, randomness and a copy of the program of its own. */
export class Realm {
  readonly name: string
  readonly rate: number
  readonly world: Time
  readonly random: Random
  isDead = false
  /** How often it was frozen and not thawed. */
  #freezes = 0
  /** Until when its machine sleeps, in true time. */
  #sleepsUntilMs = -Infinity
  #offsetMs: number
  #wallShiftMs = 0
  readonly #agenda = new Agenda()

  constructor(world: Time, name: string, random: Random, { rate = 1, offsetMs = 0 }: RealmOptions) {
    this.world = world
    this.name = name
    this.random = random
    this.rate = rate
    this.#offsetMs = offsetMs
  }

  /** Its monotonic clock. */
  get monotonicMs(): number {
    return this.#offsetMs + this.world.nowMs * this.rate
  }

  get wallMs(): number {
    return epochMs + this.monotonicMs + this.#wallShiftMs
  }

  get isFrozen(): boolean {
    return this.#freezes > 0 || this.#sleepsUntilMs - this.world.nowMs > instantMs
  }

  /** How many timers run in it. */
  get timers(): number {
    return this.#agenda.timers
  }

  /** What is due next, unless it does not run. */
  get next(): Due | undefined {
    return this.isFrozen || this.isDead ? undefined : this.#agenda.next
  }

  take(due: Due): void {
    this.#agenda.remove(due)
    if (due.timer?.repeats) this.restart(due)
    due.run()
  }

  /** Has something happen in it, as soon as it runs then. */
  post(run: () => void, afterMs = 0): void {
    if (!this.isDead) this.#agenda.add(this.world.due(afterMs, run))
  }

  /** Resolves in it after that time: never, if it is dead then. */
  arrival(afterMs: number): Promise<void> {
    return new Promise((resolve) => this.post(resolve, afterMs))
  }

  startTimer(ms: number, run: () => void, repeats: boolean): Due {
    const due = this.world.due(ms / this.rate, run, { ms, repeats })
    this.#agenda.add(due)
    return due
  }

  restart(due: Due): void {
    this.#agenda.remove(due)
    if (!due.timer) return
    const { atMs, turn } = this.world.due(due.timer.ms / this.rate, due.run)
    Object.assign(due, { atMs, turn })
    this.#agenda.add(due)
  }

  stopTimer(due: Due): void {
    if (due.timer) due.timer.repeats = false
    this.#agenda.remove(due)
  }

  /** Runs nothing any more, while its clocks go on. */
  freeze(): void {
    this.#freezes += 1
  }

  thaw(): void {
    this.#freezes -= 1
  }

  /** Its machine sleeps for so long: its monotonic clock and its timers stand still, its wall clock goes on. */
  suspend(ms: number): void {
    const { nowMs } = this.world
    const longerMs = nowMs + ms - Math.max(nowMs, this.#sleepsUntilMs)
    if (longerMs <= 0) return
    this.#sleepsUntilMs = nowMs + ms
    this.#offsetMs -= longerMs * this.rate
    this.#wallShiftMs += longerMs * this.rate
    this.#agenda.postponeTimers(longerMs)
  }

  /** Its clocks jump. */
  step(ms: number): void {
    this.#offsetMs += ms
  }

  stepWall(ms: number): void {
    this.#wallShiftMs += ms
  }

  kill(): void {
    this.isDead = true
    this.#agenda.clear()
  }
}
