import {
  compareAll,
  compareLatches,
  describeExploration,
  explore,
  handedOver,
  lockKind,
  lockSequence,
  MemoryStore,
  ownersOf,
  pair,
  sharedKind,
  sharedSequence,
  three,
  trio,
  two,
  type Bounds,
  type Step,
} from '@holdfast/model'
import { lockDocuments, sharedDocuments } from '../../src/documents/kinds.js'
import { DocumentLatch } from './support/document-latch.js'
import { DocumentStepStore } from './support/document-step-store.js'

/** More of them: HOLDFAST_COMPARE_SEQUENCES. */
const runs = Number(process.env['HOLDFAST_COMPARE_SEQUENCES'] ?? 300)

const lock = { object: 'lock', kind: lockKind(), documents: lockDocuments } as const
const semaphore = { object: 'semaphore', kind: sharedKind(), documents: sharedDocuments } as const

/** Whether clients hear of anything makes no difference where none does. */
const isHeard = ({ kind }: Step): boolean => kind !== 'subscribe' && kind !== 'unsubscribe'
const withoutHearing = (steps: readonly Step[]): readonly Step[] => steps.filter(isHeard)

describe('through documents, steps do what they do to a plain state', () => {
  it('of a lock', async () => {
    const store = new DocumentStepStore(lock)
    const reference = () => new MemoryStore(lockKind())
    await compareAll({ store, reference }, lockSequence.map(withoutHearing), { runs })
  })

  it('of a semaphore', async () => {
    const store = new DocumentStepStore(semaphore)
    const reference = () => new MemoryStore(sharedKind())
    await compareAll({ store, reference }, sharedSequence.map(withoutHearing), { runs })
  })

  it('of a latch', () => compareLatches(new DocumentLatch(), { runs, isHeard: false }))
})

describe('every interleaving of steps on documents keeps all promises', () => {
  it.each<Bounds>([two, three, handedOver])('of a lock, within %j', async (bounds) => {
    const store = new DocumentStepStore(lock, ownersOf(bounds))
    expect(describeExploration(await explore(store, bounds))).toMatch(/all promises hold$/)
  })

  it.each<Bounds>([pair, trio])('of a semaphore, within %j', async (bounds) => {
    const store = new DocumentStepStore(semaphore, ownersOf(bounds))
    expect(describeExploration(await explore(store, bounds))).toMatch(/all promises hold$/)
  })
})
