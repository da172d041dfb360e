import fc from 'fast-check'
import { times } from '../compare/lock-sequences.js'
import { latchClients, type LatchStep } from './latch-step.js'
import type { SeenNumbers } from './seen-numbers.js'

/** Mostly the last one. */
const seen = fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2, 3)
const named = fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 6, arbitrary: seen })

const set = fc.record({
  kind: fc.constant('set' as const),
  named,
  setter: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  count: fc.constantFrom(1, 1, 2, 3),
  keepMs: times([1.25, 4.25]),
  incarnation: fc.constantFrom('1', '1', '1', '2'),
})
const countDown = fc.record({
  kind: fc.constant('count down' as const),
  named,
  party: fc.constantFrom('p', 'q', 'r'),
})
const wait = fc.record({
  kind: fc.constant('wait' as const),
  clientId: fc.constantFrom(...latchClients),
  awaited: fc.option(fc.record({ seen, isBound: fc.boolean() })),
  aliveMs: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: times([1.75, 2.75]) }),
})
const remove = fc.record({ kind: fc.constant('delete' as const), named, tombstoneMs: times([0.75]) })
const pass = fc.record({ kind: fc.constant('pass' as const), ms: times([1, 3]) })

const once = fc.oneof(
  { weight: 5, arbitrary: set },
  { weight: 8, arbitrary: countDown },
  { weight: 7, arbitrary: wait },
  { weight: 1, arbitrary: remove },
  { weight: 1, arbitrary: pass },
)

/** A step that names generations and instants by which of those seen so far they are, the last one first; none for 0. */
export type DrawnLatchStep = typeof once extends fc.Arbitrary<infer Value> ? Value : never

/** Steps on one latch, some of them sent twice. */
export const latchSequence: fc.Arbitrary<readonly DrawnLatchStep[]> = fc
  .array(fc.tuple(once, fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 25 })
  .map((list) => list.flatMap(([step, roll]) => (roll === 1 ? [step, step] : [step])))

/** The step with the numbers of one store. */
export function latchStepOf(step: DrawnLatchStep, seen: SeenNumbers): LatchStep {
  switch (step.kind) {
    case 'pass':
      return step
    case 'wait': {
      const { kind, clientId, aliveMs, awaited } = step
      const generation = awaited ? seen.find(awaited.seen) : 0
      const isKnown = awaited && generation > 0
      return {
        kind,
        clientId,
        aliveMs,
        awaited: isKnown ? { generation, isBound: awaited.isBound } : undefined,
      }
    }
    default:
      return { ...step, named: seen.find(step.named) }
  }
}
