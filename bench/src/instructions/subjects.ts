import { handOffByHand, setAndDelete } from '../adapters/floors.js'
import { holdfast, readLock, semaphoreOf, sharedWithRedisson, writeLock } from '../adapters/holdfast.js'
import { contended, undisturbed, type Drive } from './drives.js'
import {
  nested,
  plainLocks,
  readLocks,
  refresh,
  renewal,
  writeLocks,
  type Batch,
  type Kind,
} from './holdfast-drives.js'

/** A row of the table. */
export interface Subject {
  readonly of: string
  readonly cycle: string
  readonly drive: Drive
}

/** How much is recorded and replayed of each subject. */
export interface Extent {
  readonly cycles: number
  readonly batch: Batch
}

export const extentOf = (isTrial: boolean): Extent =>
  isTrial
    ? { cycles: 20, batch: { size: 20, times: 2, watchdogTimeoutMs: 6_000 } }
    : { cycles: 500, batch: { size: 500, times: 5, watchdogTimeoutMs: 18_000 } }

/** The name of both floors: that of a cycle without waiters, and that of a hand-off. */
export const floor = 'floor'

const waiters = [1, 10, 200]
const contendedBy = (count: number): string => `contended, ${count} ${count === 1 ? 'waiter' : 'waiters'}`

/** What is counted per hold or queue entry, of so many in one call. */
function inOneCall(of: string, { batch }: Extent, kind: Kind): Subject[] {
  const { size, times } = batch
  return [
    {
      of,
      cycle: `renewal of a hold, ${size} in a call`,
      drive: renewal({ ...batch, times: 2 * times }, kind),
    },
    { of, cycle: `refresh of a queue entry, ${size} in one queue`, drive: refresh(batch, 1, kind) },
    {
      of,
      cycle: `refresh of a queue entry, ${size} in as many queues`,
      drive: refresh(batch, size, kind),
    },
  ]
}

/** Cycles of a lock beside the least that Redis can do, and of the objects that several owners hold at once. */
export function subjects(extent: Extent): Subject[] {
  const of = holdfast.library
  const { cycles } = extent
  const [read, write, permits] = [readLock.library, writeLock.library, 10]
  const semaphore = semaphoreOf(permits)
  return [
    { of: floor, cycle: 'undisturbed', drive: undisturbed(setAndDelete, cycles) },
    ...[holdfast, sharedWithRedisson, readLock, writeLock].map((contender) => ({
      of: contender.library,
      cycle: 'undisturbed',
      drive: undisturbed(contender, cycles),
    })),
    { of: read, cycle: 'beside 10 readers', drive: undisturbed(readLock, cycles, 10) },
    { of, cycle: 'nested call', drive: nested(cycles) },
    { of: read, cycle: 'nested call', drive: nested(cycles, readLocks) },
    ...waiters.flatMap((count) => [
      { of: floor, cycle: contendedBy(count), drive: contended(handOffByHand, count, cycles) },
      { of, cycle: contendedBy(count), drive: contended(holdfast, count, cycles) },
      { of: write, cycle: contendedBy(count), drive: contended(writeLock, count, cycles) },
    ]),
    { of: semaphore.library, cycle: contendedBy(10), drive: contended(semaphore, 10, cycles, permits) },
    ...inOneCall(of, extent, plainLocks),
    ...inOneCall(write, extent, writeLocks),
  ]
}
