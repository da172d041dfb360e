import { createHash } from 'node:crypto'
import { drawFrom, objectNames, schedulesWith, shrink, type ObjectName, type Shrunk } from '@holdfast/chaos'
import type { Bundle, Copies, Edit } from './bundle.js'
import { faultsOn } from './faults.js'
import { play, type Played, type Setting, type SimSchedule } from './play.js'
import type { EngineName } from './program/stores.js'

export const engineNames = [
  'memory',
  'documents',
  'sessions',
  'redis',
] as const satisfies readonly EngineName[]

/** Everything that is simulated: which objects on which engine. A quorum refuses stores whose holds end with a session. */
export const objectsOn: Readonly<Record<EngineName, readonly ObjectName[]>> = {
  memory: objectNames,
  documents: objectNames,
  sessions: ['lock', 'read-write-lock', 'semaphore', 'latch', 'multi-lock'],
  redis: objectNames,
}

/** Twice as long as a lease. */
const longestFaultMs = 1_200

/** The totals of many schedules. */
export interface Totals {
  schedules: number
  calls: number
  holds: number
  steps: number
  simulatedMs: number
  /** Of those that failed. */
  readonly failed: number[]
  /** The same for the same seeds, wherever they run. */
  digest: string
}

/** One object on one engine, with schedules to be drawn by their seeds. */
export class Simulation {
  readonly #setting: Setting
  readonly #copies: Copies

  /** @param edits - mistakes to be made in the programs of all processes */
  constructor(setting: Setting, bundle: Bundle, edits: readonly Edit[] = []) {
    this.#setting = setting
    this.#copies = bundle.compile(edits)
  }

  get schedules() {
    const { engine, object } = this.#setting
    return schedulesWith(
      { common: faultsOn(engine), own: [] },
      object,
      engine === 'sessions' ? 400 : 0,
      longestFaultMs,
    )
  }

  draw(seed: number, path?: string): SimSchedule {
    return drawFrom(this.schedules, seed, path)
  }

  play(schedule: SimSchedule, seed: number): Promise<Played> {
    return play(this.#copies, this.#setting, schedule, seed)
  }

  /** Plays so many schedules, of one seed after the other. */
  async campaign(
    seed: number,
    runs: number,
    onPlayed: (seed: number, played: Played) => void = () => undefined,
  ): Promise<Totals> {
    const totals: Totals = {
      ...{ schedules: 0, calls: 0, holds: 0, steps: 0, simulatedMs: 0, failed: [], digest: '' },
    }
    const digest = createHash('sha256')
    for (let next = seed; next < seed + runs; next += 1) {
      const played = await this.play(this.draw(next), next)
      digest.update(JSON.stringify(played.history))
      totals.schedules += 1
      totals.steps += played.steps
      totals.simulatedMs += played.simulatedMs
      totals.holds += played.coverage.holds
      totals.calls += played.history.filter(({ kind }) => kind === 'requested').length
      if (played.problems.length > 0) totals.failed.push(next)
      onPlayed(next, played)
    }
    totals.digest = digest.digest('hex').slice(0, 16)
    return totals
  }

  /** Searches for a shorter schedule that fails, too. */
  shrink(seed: number, withinMs: number): Promise<Shrunk<SimSchedule, Played> | null> {
    return shrink(this.schedules, seed, withinMs, async (schedule) => {
      const played = await this.play(schedule, seed)
      return played.problems.length > 0 ? played : null
    })
  }
}
