import { scratchFolder } from '@holdfast/testkit'
import { openArena } from '../src/arena.js'
import { campaign, drawSchedule } from '../src/campaign.js'
import { shrink } from '../src/shrink.js'
import { topologyNames } from '../src/topologies.js'
import { buildVariant } from '../src/variants/build-variant.js'
import { variants } from '../src/variants/variants.js'
import type { Verdict } from '../src/verdict.js'

const callsIn = (calls: readonly (readonly unknown[])[]) => calls.flat().length

it('a seed draws the same schedule again, and another seed another one', () => {
  for (const topology of topologyNames) {
    expect(drawSchedule(topology, 7)).toEqual(drawSchedule(topology, 7))
    expect(drawSchedule(topology, 7)).not.toEqual(drawSchedule(topology, 8))
  }
})

it.each(topologyNames)(
  'random schedules on the topology %s break no promise',
  async (topology) => {
    // A new seed every time; a failure names it.
    const seed = Math.floor(Math.random() * 1_000_000_000)
    const complaints: string[] = []
    const tally = await campaign({
      topology,
      runs: 6,
      seed,
      lanes: 2,
      onPlayed: (played, _, verdict) => {
        complaints.push(...verdict.complaints.map((text) => `seed ${played}: ${text}`))
      },
    })
    expect(complaints).toEqual([])
    expect(tally).toMatchObject({ topology, runs: 6, violations: 0 })
    expect(tally.holds).toBeGreaterThan(0)
    expect(tally.calls).toBeGreaterThan(tally.holds)
  },
  120_000,
)

it('for a seed that fails a shorter schedule is found, and its path draws that one again', async () => {
  const broken = variants.find(({ name }) => name === 'all tasks of a process are one owner')
  if (!broken) throw new Error('the variant has another name now')
  const folder = await scratchFolder()
  try {
    const program = await buildVariant(broken, folder.path)
    const failed = new Map<number, Verdict>()
    await campaign({
      topology: 'single',
      runs: 5,
      seed: 1,
      lanes: 1,
      program,
      onPlayed: (seed, _, verdict) => {
        if (verdict.complaints.length > 0) failed.set(seed, verdict)
      },
    })
    const [seed] = failed.keys()
    if (seed === undefined) throw new Error('no schedule failed')
    const arena = await openArena('single', program)
    try {
      const shrunk = await shrink(arena, seed, 20_000)
      if (!shrunk) throw new Error('it did not fail again')
      expect(shrunk.verdict.complaints).not.toEqual([])
      expect(callsIn(shrunk.schedule.calls)).toBeLessThan(callsIn(drawSchedule('single', seed).calls))
      expect(drawSchedule('single', seed, shrunk.path)).toEqual(shrunk.schedule)
    } finally {
      await arena.close()
    }
  } finally {
    await folder.remove()
  }
}, 120_000)
