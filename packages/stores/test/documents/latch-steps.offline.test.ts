import { latchSteps, noLatch, type LatchContext } from '../../src/documents/steps/index.js'

it('a waiter passes for a count that was opened since it asked, although another one is set', () => {
  const nowUs = 1_700_000_000_000_000
  const latch = noLatch()
  const context: LatchContext = { nowUs, incarnation: 'a', notify: () => undefined }
  const set = (named: number, setter: string) =>
    latchSteps.set(latch, { named, setter, count: 1, keepMs: 60_000 }, context).state.generation
  const asked = latchSteps.wait(latch, 'client', undefined, 60_000, nowUs)
  if (asked.kind !== 'closed') throw new Error(`a latch without a count is ${asked.kind}`)
  const generation = set(0, 'a')
  latchSteps.countDown(latch, { named: generation, party: 'party' }, context)
  expect(set(generation, 'b')).toBeGreaterThan(generation)
  expect(latchSteps.wait(latch, 'client', asked.awaited, 60_000, nowUs)).toEqual({
    kind: 'passed',
    generation,
  })
})
