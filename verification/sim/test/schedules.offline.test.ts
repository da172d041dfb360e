import { Bundle, engineNames, objectsOn, Simulation } from '@holdfast/sim'
import { isFullMatrix } from '@holdfast/testkit'

/** Of each object: on all of its engines together, or on each. `npm run sim` plays any number of them. */
const schedules = isFullMatrix ? 200 : 120

let bundle: Bundle
beforeAll(async () => {
  bundle = await Bundle.make()
})

const places = engineNames.flatMap((engine) =>
  objectsOn[engine].map((object) => {
    const engines = engineNames.filter((each) => objectsOn[each].includes(object))
    return { engine, object, runs: isFullMatrix ? schedules : Math.ceil(schedules / engines.length) }
  }),
)

it.each(places)(
  '$runs random schedules of $object on $engine keep all promises',
  async ({ engine, object, runs }) => {
    const simulation = new Simulation({ engine, object, servers: object === 'quorum' ? 3 : 1 }, bundle)
    const problems: string[] = []
    const totals = await simulation.campaign(1, runs, (seed, played) => {
      if (played.problems.length === 0) return
      const again = `npm run sim -- --engine ${engine} --object ${object} --seed ${seed} --show`
      problems.push(`${played.problems.join('\n')}\nAgain: ${again}`)
    })
    expect(problems).toEqual([])
    expect(totals.calls).toBeGreaterThan(runs)
  },
)

it('random schedules of a quorum of five stores keep all promises', async () => {
  const simulation = new Simulation({ engine: 'memory', object: 'quorum', servers: 5 }, bundle)
  expect((await simulation.campaign(1, isFullMatrix ? 50 : 10)).failed).toEqual([])
})

it('a mistake is shown by a shorter schedule, which its path draws again', async () => {
  const edits = [
    { of: 'core', file: 'ownership/owners.js', find: 'return ++this.#last', replace: 'return 1' },
  ] as const
  const simulation = new Simulation({ engine: 'memory', object: 'lock', servers: 1 }, bundle, edits)
  const [seed = 0] = (await simulation.campaign(1, 5)).failed
  const shrunk = await simulation.shrink(seed, 60_000)
  const callsIn = ({ calls }: { readonly calls: readonly (readonly unknown[])[] }): number =>
    calls.flat().length
  expect(shrunk?.verdict.problems).not.toEqual([])
  if (!shrunk) throw new Error('it was not shown again')
  expect(callsIn(shrunk.schedule)).toBeLessThan(callsIn(simulation.draw(seed)))
  expect(simulation.draw(seed, shrunk.path)).toEqual(shrunk.schedule)
})
