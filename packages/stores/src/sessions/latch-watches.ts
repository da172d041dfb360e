import type { Address, EngineHost } from '@holdfast/core/engine'
import type { Background } from './background.js'
import type { LatchStore } from './latch-store.js'
import type { QueueStore } from './store.js'

export interface LatchWatchesDeps {
  readonly host: EngineHost
  readonly store: Pick<QueueStore, 'session'>
  readonly latches: LatchStore
  readonly background: Background
}

/** That this client waits for a latch. */
interface Attendance {
  /** Resolves once the latch is watched, to what ends that; `undefined` after an event. */
  watch: Promise<() => void> | undefined
  timer: NodeJS.Timeout | undefined
  /** Which openings are waited for, by their generations. */
  readonly awaited: Set<number>
  /** How many looks are under way. */
  looks: number
  /** The session in which the client is shown among those that wait. */
  shownIn: string
}

/** Has the client look when a latch changes that it waits for: one watch for all of its waiters, as long as they say that they wait. */
export class LatchWatches {
  readonly #deps: LatchWatchesDeps
  readonly #attendances = new Map<string, Attendance>()

  constructor(deps: LatchWatchesDeps) {
    this.#deps = deps
  }

  /**
   * Watches from before the look until the client no longer waits.
   *
   * @param before - the generation that was awaited; `undefined`: none yet
   * @param look - resolves with the generation to await from now on; `undefined`: none
   */
  async during(
    address: Address,
    aliveMs: number,
    before: number | undefined,
    look: () => Promise<number | undefined>,
    timeoutMs: number,
  ): Promise<void> {
    const attendance = await this.#watch(address, aliveMs, timeoutMs)
    attendance.looks += 1
    try {
      const next = await look()
      if (before !== undefined) attendance.awaited.delete(before)
      if (next !== undefined) attendance.awaited.add(next)
    } finally {
      attendance.looks -= 1
      if (attendance.looks === 0 && attendance.awaited.size === 0) this.#leave(address, attendance)
    }
  }

  async #watch(address: Address, aliveMs: number, timeoutMs: number): Promise<Attendance> {
    const known = this.#attendances.get(address.id)
    const attendance: Attendance = known ?? {
      ...{ watch: undefined, timer: undefined, shownIn: '' },
      ...{ awaited: new Set(), looks: 0 },
    }
    this.#attendances.set(address.id, attendance)
    clearTimeout(attendance.timer)
    attendance.timer = setTimeout(() => this.#leave(address, attendance), aliveMs)
    attendance.timer.unref()
    attendance.watch ??= this.#begin(address, attendance, timeoutMs)
    await attendance.watch
    await this.#show(address, attendance, timeoutMs)
    return attendance
  }

  /** Nobody here waits for it any more. */
  #leave({ id, name }: Address, attendance: Attendance): void {
    if (this.#attendances.get(id) !== attendance) return
    this.#end(id, attendance)
    const { background, host, latches } = this.#deps
    if (attendance.shownIn === '') return
    background.repeat(
      () => latches.attend(name, false, host.commandTimeoutMs),
      () => !this.#attendances.has(id),
    )
  }

  close(): void {
    for (const [id, attendance] of [...this.#attendances]) this.#end(id, attendance)
  }

  async #begin({ id, name }: Address, attendance: Attendance, timeoutMs: number): Promise<() => void> {
    const { host, latches } = this.#deps
    const changed = (): void => {
      attendance.watch = undefined
      if (this.#attendances.get(id) === attendance) host.missed(id)
    }
    try {
      return await latches.watch(name, changed, timeoutMs)
    } catch (error) {
      attendance.watch = undefined
      throw error
    }
  }

  async #show({ name }: Address, attendance: Attendance, timeoutMs: number): Promise<void> {
    const { latches, store } = this.#deps
    const { session } = store
    if (session !== '' && attendance.shownIn === session) return
    attendance.shownIn = session || 'the next'
    try {
      await latches.attend(name, true, timeoutMs)
      attendance.shownIn = store.session
    } catch (error) {
      attendance.shownIn = ''
      throw error
    }
  }

  #end(id: string, attendance: Attendance): void {
    this.#attendances.delete(id)
    clearTimeout(attendance.timer)
    attendance.watch?.then((stop) => stop()).catch(() => undefined)
  }
}
