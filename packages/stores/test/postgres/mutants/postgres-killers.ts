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
  handedOver,
  handedOverWithFault,
  three,
  trio,
  twoWithFault,
  type Bounds,
} from '@holdfast/model'
import { comparing, exploring, type Killer, type Mutant } from '@holdfast/mutants'
import { schemaParts } from '../steps/functions.js'
import { keepBesideLockedRow, upkeeps } from '../parallel/locked-rows.js'
import { makingRows, outcomesOf } from '../parallel/row-in-the-making.js'
import { lettingIn, waitingAfter } from '../parallel/spoilt-token.js'
import { lockExamples } from '../steps/lock-examples.js'
import { PostgresLatch } from '../steps/postgres-latch.js'
import { postgresLock } from '../steps/postgres-lock.js'
import type { PostgresKind } from '../steps/postgres-kind.js'
import { postgresShared } from '../steps/postgres-shared.js'
import { PostgresStore } from '../steps/postgres-store.js'
import { sweepAll } from '../steps/sweeping.js'
import { Server } from '../steps/server.js'
import { sharedExamples } from '../steps/shared-examples.js'
import { functionsOf } from './postgres-mutants.js'

const seed = 1
const few = 100
const many = 300

/** Tries mistakes on one server: each is put in the place of the real function, and that back after it. */
export class PostgresKillers {
  readonly #server: Server
  #changed: string | undefined

  private constructor(server: Server) {
    this.#server = server
  }

  /** Installs the schema in the database, in place of an earlier one. */
  static async open(url: string): Promise<PostgresKillers> {
    return new PostgresKillers(await Server.open(url, comparedOwners))
  }

  /** What may find the mistake, or why it is no program. The one before is no longer there. */
  async of({ file, source }: Mutant): Promise<Killer[] | string> {
    const before = this.#changed
    if (before !== undefined && before !== file) await this.#server.replace(schemaParts.get(before) ?? '')
    this.#changed = file
    try {
      await this.#server.replace(source)
    } catch (error) {
      return String(error)
    }
    return killersOn(this.#server, file)
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}

/** What may find a mistake in this function. */
function killersOn(server: Server, name: string): Killer[] {
  const isOf = (kind: keyof typeof functionsOf): boolean => functionsOf[kind].some((each) => each === name)
  const exploreOn = (kind: PostgresKind) => (title: string, bounds: Bounds) =>
    exploring(title, bounds, () => Promise.resolve(PostgresStore.on(server, kind, ownersOf(bounds))))
  const killers: Killer[] = []
  // They take longer, and come after all others.
  const thorough: Killer[] = []

  if (isOf('lock')) {
    const compare = async (runs: number): Promise<void> => {
      const store = PostgresStore.on(server, postgresLock, comparedOwners)
      const reference = () => new MemoryStore(lockKind())
      await compareAll({ store, reference }, lockSequence, { examples: lockExamples, runs, seed })
    }
    const exploration = exploreOn(postgresLock)
    killers.push(comparing('compare locks', () => compare(few)))
    thorough.push(
      comparing('compare more locks', () => compare(many)),
      exploration('two with upkeep', { ...twoWithFault, hasUpkeep: true }),
      exploration('two, data lost', { ...twoWithFault, mayLoseData: true }),
      exploration('two, forced', { ...twoWithFault, faults: 0, forces: 1 }),
      exploration('three', { ...three, hasUpkeep: true }),
      exploration('handedOver', handedOver),
      exploration('handedOverWithFault', handedOverWithFault),
    )
  }
  if (isOf('shared')) {
    // PostgreSQL evicts nothing.
    const sequence = sharedSequence
      .map((steps) => steps.filter(({ kind }) => kind !== 'evict'))
      .filter(({ length }) => length > 0)
    const compare = async (runs: number): Promise<void> => {
      const store = PostgresStore.on(server, postgresShared, comparedOwners)
      const reference = () => new MemoryStore(sharedKind())
      await compareAll({ store, reference }, sequence, { examples: sharedExamples, runs, seed })
    }
    const exploration = exploreOn(postgresShared)
    killers.push(comparing('compare shared', () => compare(few)))
    thorough.push(
      comparing('compare more shared', () => compare(many)),
      exploration('pairWithFault', { ...pairWithFault, hasUpkeep: true }),
      exploration('trio', trio),
      exploration('resized', resized),
    )
  }
  const letting = lettingIn.find((each) => each === name)
  if (letting) {
    killers.push(
      comparing('a spoilt token', async () => {
        const waiting = await waitingAfter(server.url, letting)
        if (waiting !== 1) throw new Error(`${waiting} wait instead of 1`)
      }),
    )
  }
  const keeping = upkeeps.find((each) => each === name)
  if (keeping) killers.push(comparing('a locked row', () => keepBesideLockedRow(server.url, keeping)))
  if (isOf('sweep')) {
    killers.push(
      comparing('a sweep', () => sweepAll(server.url)),
      exploreOn(postgresLock)('two with upkeep', { ...twoWithFault, hasUpkeep: true }),
      exploreOn(postgresShared)('pairWithFault', { ...pairWithFault, hasUpkeep: true }),
    )
  }
  const making = makingRows.find((each) => each === name)
  if (making) {
    killers.push(
      comparing('a row in the making', async () => {
        const [there, made] = await outcomesOf(server.url, making)
        if (made !== there) throw new Error(`${made} instead of ${there}`)
      }),
    )
  }
  if (isOf('latch')) {
    const compare = (runs: number): Promise<void> => compareLatches(PostgresLatch.on(server), { runs, seed })
    killers.push(
      comparing('compare latches', () => compare(few)),
      comparing('compare more latches', () => compare(many)),
    )
  }
  return [...killers, ...thorough]
}
