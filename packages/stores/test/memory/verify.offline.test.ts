import { Holdfast } from '@holdfast/core'
import { memory } from '../../src/memory/index.js'
import { verifyEngine, type EngineUnderTest } from '@holdfast/conformance'

it('a scenario that does not end is broken after its limit, and the next one begins', async () => {
  const hanging: EngineUnderTest = {
    name: 'hanging',
    traits: memory().traits,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    open: (options) => new Holdfast({ ...options, engine: memory() }),
    openLinked: () => new Promise(() => undefined),
  }
  const verdicts = await verifyEngine(hanging, { only: 'lost replies', limitMs: 50 })
  expect(verdicts.map(({ outcome }) => outcome)).toContain('broken')
  expect(verdicts.map(({ error }) => String(error))).toContain('Error: not over after 50 ms')
})
