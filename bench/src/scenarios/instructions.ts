import { whyNoCallgrind } from '../instructions/callgrind.js'
import { record } from '../instructions/record.js'
import { replay } from '../instructions/replay.js'
import { extentOf, floor, subjects } from '../instructions/subjects.js'
import { mediansOf } from '../compare.js'
import type { Figure, Scenario, Seen } from '../scenario.js'

/** What a cycle costs Redis, counted instead of timed: the same on a busy machine. */
export const instructions: Scenario = {
  name: 'instructions',
  title: 'Instructions at Redis for a cycle, counted by callgrind',
  compares: { what: 'instructionsPerCycle', lessIsBetter: true },
  floor,
  onlyByName: true,
  async run(plan) {
    const missing = await whyNoCallgrind()
    if (missing !== null) {
      plan.say(`left out: ${missing}`)
      return []
    }
    const figures: Figure[] = []
    for (const { of, cycle, drive } of subjects(extentOf(plan.isTrial))) {
      const recording = await record(drive)
      // Two servers differ by up to two percent for the same commands: each has its own seeds for hash tables, for one.
      const rounds: Seen[] = []
      for (let round = 0; round < plan.rounds; round += 1) rounds.push(await replay(recording))
      figures.push({ of, at: { cycle }, seen: mediansOf(rounds) })
      const counts = rounds.map(({ instructionsPerCycle = NaN }) => instructionsPerCycle.toFixed(0))
      plan.say(`${of}, ${cycle}: ${counts.join(' ')}`)
    }
    return figures
  },
}
