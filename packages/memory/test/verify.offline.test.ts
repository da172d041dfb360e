import { Holdfast } from '@holdfast/core'
import { verifyEngine, type EngineUnderTest } from '@holdfast/conformance'
import { memory } from '../src/index.js'

const nothing = (): Promise<void> => Promise.resolve()

/** @param engineOf - what each client gets */
const underTest = (engineOf: () => ReturnType<typeof memory>): EngineUnderTest => ({
  name: 'Memory',
  traits: memory().traits,
  start: nothing,
  stop: nothing,
  open: (options) => new Holdfast({ ...options, engine: engineOf() }),
})

it('says of each scenario whether it held, and which hook the others lack', async () => {
  const engine = memory()
  const progress: string[] = []
  const verdicts = await verifyEngine(
    underTest(() => engine),
    { only: 'Exclusion', onProgress: (done, all) => progress.push(`${done}/${all}`) },
  )
  expect(verdicts.length).toBeGreaterThan(3)
  expect(new Set(verdicts.map(({ part }) => part))).toEqual(new Set(['always: exclusion']))
  expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['kept', 'untried']))
  const untried = verdicts.filter(({ outcome }) => outcome === 'untried')
  for (const { title } of untried)
    expect(title).toMatch(/ \(skipped: the engine under test offers no (openLinked|otherProcess|engine)\)$/)
  expect(progress).toEqual(verdicts.map((_, i) => `${i}/${verdicts.length}`))
})

it('goes on after a promise that is broken, and has the reason', async () => {
  // Two clients that share nothing exclude each other from nothing.
  const verdicts = await verifyEngine(underTest(memory), { only: 'exclusion', limitMs: 5_000 })
  const broken = verdicts.filter(({ outcome }) => outcome === 'broken')
  expect(broken.length).toBeGreaterThan(1)
  for (const { error } of broken) expect(String(error)).toMatch(/expected|not over/)
})

it('a scenario that does not end is broken after its limit, and the next one begins', async () => {
  const hanging: EngineUnderTest = {
    ...underTest(memory),
    openLinked: () => new Promise(() => undefined),
  }
  const verdicts = await verifyEngine(hanging, { only: 'lost replies', limitMs: 50 })
  expect(verdicts.map(({ outcome }) => outcome)).toContain('broken')
  expect(verdicts.map(({ error }) => String(error))).toContain('Error: not over after 50 ms')
})

it('begins nothing more once it is stopped, and stops the engine all the same', async () => {
  const stopping = new AbortController()
  let isStopped = false
  const engine = memory()
  const verdicts = await verifyEngine(
    { ...underTest(() => engine), stop: () => Promise.resolve(void (isStopped = true)) },
    { only: 're-entry', signal: stopping.signal, onProgress: () => stopping.abort() },
  )
  expect(verdicts).toHaveLength(1)
  expect(isStopped).toBe(true)
})
