import {
  compareAll,
  comparedOwners,
  compareLatches,
  lockKind,
  lockSequence,
  MemoryStore,
  ownersOf,
  pairWithFault,
  resized,
  sharedKind,
  sharedSequence,
  three,
  trio,
  twoWithFault,
  type Bounds,
} from '@holdfast/model'
import { comparing, exploring, type Killer } from '@holdfast/mutants'
import type { SchemaParts } from '../steps/functions.js'
import { PostgresLatch } from '../steps/postgres-latch.js'
import { postgresLock } from '../steps/postgres-lock.js'
import type { PostgresKind } from '../steps/postgres-kind.js'
import { postgresShared } from '../steps/postgres-shared.js'
import { PostgresStore } from '../steps/postgres-store.js'
import { sharedExamples } from '../steps/shared-examples.js'
import { functionsOf } from './postgres-mutants.js'

const seed = 1
const few = 100
const many = 1_000

/** What may find a mistake in this function. */
export function postgresKillers(url: string, parts: SchemaParts, name: string): Killer[] {
  const isOf = (kind: keyof typeof functionsOf): boolean => functionsOf[kind].some((each) => each === name)
  const open = (kind: PostgresKind, owners: readonly string[]): Promise<PostgresStore> =>
    PostgresStore.open(url, kind, owners, parts)
  const exploreOn = (kind: PostgresKind) => (title: string, bounds: Bounds) =>
    exploring(title, bounds, () => open(kind, ownersOf(bounds)))
  const killers: Killer[] = []

  if (isOf('lock')) {
    const compare = async (runs: number): Promise<void> => {
      const store = await open(postgresLock, comparedOwners)
      await compareAll({ store, reference: () => new MemoryStore(lockKind()) }, lockSequence, { runs, seed })
    }
    const exploration = exploreOn(postgresLock)
    killers.push(
      comparing('compare locks', () => compare(few)),
      comparing('compare more locks', () => compare(many)),
      exploration('two with upkeep', { ...twoWithFault, hasUpkeep: true }),
      exploration('two, data lost', { ...twoWithFault, mayLoseData: true }),
      exploration('two, forced', { ...twoWithFault, faults: 0, forces: 1 }),
      exploration('three', { ...three, hasUpkeep: true }),
    )
  }
  if (isOf('shared')) {
    // PostgreSQL evicts nothing.
    const sequence = sharedSequence
      .map((steps) => steps.filter(({ kind }) => kind !== 'evict'))
      .filter(({ length }) => length > 0)
    const compare = async (runs: number): Promise<void> => {
      const store = await open(postgresShared, comparedOwners)
      const reference = () => new MemoryStore(sharedKind())
      await compareAll({ store, reference }, sequence, { examples: sharedExamples, runs, seed })
    }
    const exploration = exploreOn(postgresShared)
    killers.push(
      comparing('compare shared', () => compare(few)),
      comparing('compare more shared', () => compare(many)),
      exploration('pairWithFault', { ...pairWithFault, hasUpkeep: true }),
      exploration('trio', trio),
      exploration('resized', resized),
    )
  }
  if (isOf('latch')) {
    const compare = async (runs: number): Promise<void> =>
      compareLatches(await PostgresLatch.open(url, parts), { runs, seed })
    killers.push(
      comparing('compare latches', () => compare(few)),
      comparing('compare more latches', () => compare(many)),
    )
  }
  return killers
}
