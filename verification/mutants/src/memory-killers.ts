import {
  compareAll,
  compareLatches,
  compareLocks,
  handedOverWithFault,
  lockKind,
  lockSequence,
  MemoryLatch,
  MemoryLocks,
  MemoryStore,
  ownersOf,
  pairWithFault,
  resized,
  sharedKind,
  sharedSequence,
  three,
  trio,
  two,
  twoWithFault,
  type Bounds,
  type Machine,
} from '@holdfast/model'
import type { Killer } from './hunt/hunt.js'
import { comparing, exploring } from './hunt/killers.js'

const runs = 2_000

/** The clock of a store goes on, so each sequence has a new one. */
const repeating = (name: string, compare: (seed: number) => Promise<void>): Killer =>
  comparing(name, async () => {
    for (let seed = 1; seed <= runs; seed++) await compare(seed)
  })

/**
 * What may find a mistake in a module of the memory engine's steps. They are compared with the real ones: those are what the
 * stores on servers are compared with.
 */
export function memoryKillers(machine: Machine, module: string): readonly Killer[] {
  const lock = (of?: Machine) => new MemoryStore(lockKind(of))
  const semaphore = (of?: Machine) => new MemoryStore(sharedKind(of))
  const onLock = (name: string, bounds: Bounds): Killer =>
    exploring(name, bounds, () =>
      Promise.resolve(new MemoryStore(lockKind(machine), { owners: ownersOf(bounds) })),
    )
  const onShared = (name: string, bounds: Bounds): Killer =>
    exploring(name, bounds, () =>
      Promise.resolve(new MemoryStore(sharedKind(machine), { owners: ownersOf(bounds) })),
    )

  const multi = repeating('compare multi locks', (seed) =>
    compareLocks(new MemoryLocks(machine), { runs: 1, seed }),
  )
  const latches = repeating('compare latches', (seed) =>
    compareLatches(new MemoryLatch(machine), { runs: 1, seed }),
  )
  const locks = [
    repeating('compare locks', (seed) =>
      compareAll({ store: lock(machine), reference: lock }, lockSequence, { runs: 1, seed }),
    ),
    onLock('twoWithFault', twoWithFault),
    onLock('two, forced', { ...two, forces: 1 }),
    onLock('three', three),
    onLock('handedOverWithFault', handedOverWithFault),
  ]
  const shared = [
    repeating('compare shared', (seed) =>
      compareAll({ store: semaphore(machine), reference: semaphore }, sharedSequence, { runs: 1, seed }),
    ),
    onShared('pairWithFault', pairWithFault),
    onShared('trio', trio),
    onShared('resized', resized),
  ]
  if (module === 'acquire-many') return [multi]
  if (module.startsWith('latch-')) return [latches]
  if (module.startsWith('lock-')) return [...locks, multi]
  return module.startsWith('shared-') ? shared : [...locks, ...shared]
}
