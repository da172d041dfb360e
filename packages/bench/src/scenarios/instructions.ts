import type { Figure } from '../figure.js'
import { whyNoCallgrind } from '../instructions/callgrind.js'
import { record } from '../instructions/record.js'
import { replay } from '../instructions/replay.js'
import { floor, subjects } from '../instructions/subjects.js'
import { mediansOf, type Seen } from '../rounds.js'
import type { Scenario } from '../scenario.js'

const name = 'instructions'

/** What a cycle costs Redis, counted instead of timed: the same on a busy machine. */
export const instructions: Scenario = {
  name,
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
    for (const { of, cycle, drive } of subjects(plan.isTrial)) {
      const recording = await record(drive)
      // Two servers differ by up to two percent for the same commands: each has its own seeds for hash tables, for one.
      const rounds: Seen[] = []
      for (let round = 0; round < plan.rounds; round += 1) rounds.push(await replay(recording))
      figures.push({ scenario: name, of, at: { cycle }, seen: mediansOf(rounds) })
      const counts = rounds.map(({ instructionsPerCycle = NaN }) => instructionsPerCycle.toFixed(0))
      plan.say(`${of}, ${cycle}: ${counts.join(' ')}`)
    }
    return figures
  },
}
