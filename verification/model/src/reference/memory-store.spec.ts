import { compareAll } from '../compare/comparison.js'
import { lockSequence } from '../compare/lock-sequences.js'
import { sharedSequence } from '../compare/shared-sequences.js'
import type { Contents } from '../contents.js'
import { withMistake } from '../mistake.js'
import type { StepStore } from '../step-store.js'
import { proofOf, type Step } from '../step.js'
import { lockKind } from './lock-kind.js'
import { loadMachine, readSources, type Machine } from './machine.js'
import { MemoryStore } from './memory-store.js'
import { sharedKind } from './shared-kind.js'

const hourMs = 3_600_000

const waiting: Omit<Contents, 'holds' | 'resized'> = {
  ended: [],
  queue: [
    { owner: 'B:1', want: 1, size: 1, grantLeaseMs: 1_000, leftMs: hourMs, saysWhere: true, hasProof: true },
    { owner: 'C:1', want: 1, size: 1, grantLeaseMs: 2_000, leftMs: -1_000, saysWhere: true, hasProof: false },
  ],
  queueMs: 2 * hourMs,
  tombstones: [{ owner: 'D:1', leftMs: hourMs }],
  token: 1_234,
  fenceMs: 3 * hourMs,
  unsubscribed: ['C:1'],
  problems: [],
}
const locked: Contents = {
  ...waiting,
  holds: [{ owner: 'A:1', count: 2, token: null, leftMs: hourMs }],
  resized: null,
}
const shared: Contents = {
  ...waiting,
  holds: [
    { owner: 'A:1', count: 2, token: 1_000, leftMs: hourMs },
    { owner: 'E:1', count: 1, token: 1_234, leftMs: 2 * hourMs },
  ],
  resized: { size: 3, version: 2, id: 'x', leftMs: hourMs },
}

it.each([
  ['a lock', () => new MemoryStore(lockKind()), locked],
  ['a semaphore', () => new MemoryStore(sharedKind()), shared],
])('the reference gives back what was put into %s', async (_, open, contents) => {
  const store = open()
  await store.restore(contents)
  expect(await store.read()).toEqual(contents)
})

const acquire = (owner: string, count: number, size?: number): Step => ({
  kind: 'acquire',
  owner,
  count,
  size,
  leaseMs: hourMs,
  entryTtlMs: hourMs,
  grantLeaseMs: hourMs,
  proof: proofOf(owner),
  tokenFloor: 0,
})
const release: Step = { kind: 'release', owner: 'A:1', count: 0, tombstoneMs: 0, tokenFloor: 0 }
const force: Step = { kind: 'force', owner: 'B:1', tokenFloor: 0 }
const onLock = [[acquire('A:1', 1), acquire('C:1', 2), acquire('B:1', 1), release, force]]
const onSemaphore = [[acquire('A:1', 3, 3), acquire('B:1', 1, 3), release]]

describe('the comparison', () => {
  const compareWith = async (machine: Machine, runs: number): Promise<void> => {
    const lock = (of?: Machine): StepStore => new MemoryStore(lockKind(of))
    const semaphore = (of?: Machine): StepStore => new MemoryStore(sharedKind(of))
    await compareAll({ store: lock(machine), reference: lock }, lockSequence, { examples: onLock, runs: 0 })
    const onShared = { examples: onSemaphore, runs: 0 }
    await compareAll({ store: semaphore(machine), reference: semaphore }, sharedSequence, onShared)
    // The clock of a store goes on, so each sequence has a new one.
    for (let nth = 0; nth < runs; nth++) {
      await compareAll({ store: lock(machine), reference: lock }, lockSequence, { runs: 1 })
      await compareAll({ store: semaphore(machine), reference: semaphore }, sharedSequence, { runs: 1 })
    }
  }
  const broken = async (from: string, to: string): Promise<Machine> =>
    loadMachine(withMistake(await readSources(), { mistake: `${from} is missing`, from, to }))

  it('finds no difference between the reference and itself', async () => {
    await compareWith(await loadMachine(await readSources()), 200)
  })

  it.each([
    ['does something else with a lock', `if (!state.hold) grantToFirst(state, context)`, ``],
    ['does something else with a semaphore', `letIn(state, context)\n  return hold ?`, `return hold ?`],
    ['replies something else', `if (count > 1) return { kind: 'lost' }`, ``],
    ['keeps something for another time', `nowUs + fenceMsFor(leaseMs)`, `nowUs + 2 * fenceMsFor(leaseMs)`],
    ['notifies others', `context.notify({ kind: 'revoked', owner })`, ``],
  ])('finds a store that %s', async (_, from, to) => {
    await expect(compareWith(await broken(from, to), 0)).rejects.toThrow(/step \d+ differs/)
  })
})
