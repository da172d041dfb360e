import { isFullMatrix } from '@holdfast/testkit'
import { campaign, drawSchedule } from '../src/campaign.js'
import { objectNames, type ObjectName } from '../src/objects.js'
import { topologyNames, type TopologyName } from '../src/topologies.js'

const locksOn = (topology: TopologyName) => ['lock', topology] as const

/** So many of them, at random. */
function someOf<T>(all: readonly T[], count: number): T[] {
  const left = [...all]
  return Array.from({ length: count }, () => left.splice(Math.floor(Math.random() * left.length), 1)).flat()
}

it('draws the same schedule from the same seed, and a different one from another seed', () => {
  for (const topology of topologyNames) {
    expect(drawSchedule(topology, 7)).toEqual(drawSchedule(topology, 7))
    expect(drawSchedule(topology, 7)).not.toEqual(drawSchedule(topology, 8))
  }
})

it('draws schedules of each object, and different ones for each', () => {
  const schedules = objectNames.map((object) => drawSchedule('single', 7, '', object))
  expect(schedules.map(({ object }) => object)).toEqual([undefined, ...objectNames.slice(1)])
  expect(drawSchedule('single', 7)).toEqual(schedules[0])
})

describe('random schedules', () => {
  const runs = isFullMatrix ? 6 : 1
  type Played = readonly [ObjectName, TopologyName]
  /** Locks on each store, behind Sentinels and in a Cluster. */
  const always: readonly Played[] = [
    ...(['single', 'sentinel', 'cluster', 'independent', 'postgres'] as const).map(locksOn),
    ...(['zookeeper', 'etcd', 'memcached', 'mysql'] as const).map(locksOn),
  ]
  /** What repeats these on another topology, or with other objects, as the simulation does. By default some of it, drawn for each run. */
  const repeated: readonly Played[] = [
    ...topologyNames.filter((name) => !always.some(([, topology]) => topology === name)).map(locksOn),
    ['read-write-lock', 'single'],
    ['semaphore', 'single'],
    ['latch', 'single'],
    ['multi-lock', 'single'],
    ['quorum', 'independent'],
    ['read-write-lock', 'postgres'],
    ['semaphore', 'postgres'],
    ['latch', 'postgres'],
    ['multi-lock', 'postgres'],
  ]
  const played = [...always, ...(isFullMatrix ? repeated : someOf(repeated, 4))]
  const outcomes = new Map<string, Awaited<ReturnType<typeof run>>>()

  /** With a new seed every time; a failure names it. */
  async function run(object: ObjectName, topology: TopologyName) {
    const seed = Math.floor(Math.random() * 1_000_000_000)
    const problems: string[] = []
    try {
      const tally = await campaign({
        ...{ topology, object, runs, seed, lanes: 1 },
        onFinished: (finishedSeed, _, verdict) =>
          problems.push(...verdict.problems.map((text) => `seed ${finishedSeed}: ${text}`)),
      })
      return { problems, tally }
    } catch (error) {
      return { problems: [...problems, `seed ${seed}: ${String(error)}`], tally: undefined }
    }
  }

  /** Several at once, since they wait most of the time, and each with one set of processes, whose start is most of their cost. */
  beforeAll(async () => {
    const left = [...played]
    const lane = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift())
        outcomes.set(next.join(' on '), await run(...next))
    }
    await Promise.all([lane(), lane(), lane()])
  }, 900_000)

  function expectNoProblems(object: ObjectName, topology: TopologyName): void {
    const { problems, tally } = outcomes.get(`${object} on ${topology}`) ?? {}
    expect(problems).toEqual([])
    expect(tally).toMatchObject({ topology, object, runs, violations: 0 })
    const { holds = 0, passes = 0, calls = 0 } = tally ?? {}
    expect(calls).toBeGreaterThanOrEqual(Math.max(1, holds + passes))
  }

  it.each(played)('of the object %s break no promise on the topology %s', (object, topology) =>
    expectNoProblems(object, topology),
  )

  // In the few schedules of one topology on a busy machine, faults may leave no call a hold.
  it('give more than one hold to each set, on average', () => {
    const holds = [...outcomes.values()].flatMap(({ tally }) => (tally ? [tally.holds] : []))
    expect(holds.reduce((sum, count) => sum + count)).toBeGreaterThan(holds.length)
  })
})
