import { handOffByHand, setAndDelete } from '../adapters/floors.js'
import { holdfast, readLock, semaphoreOf, sharedWithRedisson, writeLock } from '../adapters/holdfast.js'
import { contended, letIn, undisturbed, type Drive } from './drives.js'
import { nested, plainLocks, readLocks, refresh, renewal, writeLocks, type Batch } from './holdfast-drives.js'

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
/** What read/write locks and semaphores are measured against: the lock in the same situation. */
export const yardstick = 'lock'

const waiters = [1, 10, 200]
const contendedBy = (count: number): string => `contended, ${count} ${count === 1 ? 'waiter' : 'waiters'}`

/** What is counted per hold or queue entry, of so many in one call. */
function inOneCall(of: string, { batch }: Extent, kind = plainLocks): Subject[] {
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

/** Cycles of a lock, beside the least that Redis can do. */
export function lockSubjects(extent: Extent): Subject[] {
  const of = 'Holdfast'
  const { cycles } = extent
  return [
    { of: floor, cycle: 'undisturbed', drive: undisturbed(setAndDelete, cycles) },
    { of, cycle: 'undisturbed', drive: undisturbed(holdfast, cycles) },
    { of: sharedWithRedisson.library, cycle: 'undisturbed', drive: undisturbed(sharedWithRedisson, cycles) },
    { of, cycle: 'nested call', drive: nested(cycles) },
    ...waiters.flatMap((count) => [
      { of: floor, cycle: contendedBy(count), drive: contended(handOffByHand, count, cycles) },
      { of, cycle: contendedBy(count), drive: contended(holdfast, count, cycles) },
    ]),
    ...inOneCall(of, extent),
  ]
}

/** Cycles of the objects that several owners hold at once, beside those of the lock. */
export function sharedSubjects(extent: Extent): Subject[] {
  const { cycles } = extent
  const read = 'read lock'
  const write = 'write lock'
  const permits = 10
  return [
    { of: yardstick, cycle: 'undisturbed', drive: undisturbed(holdfast, cycles) },
    { of: read, cycle: 'undisturbed', drive: undisturbed(readLock, cycles) },
    { of: write, cycle: 'undisturbed', drive: undisturbed(writeLock, cycles) },
    { of: read, cycle: 'beside 10 readers', drive: undisturbed(readLock, cycles, 10) },
    ...waiters.flatMap((count) => [
      { of: yardstick, cycle: contendedBy(count), drive: contended(holdfast, count, cycles) },
      { of: write, cycle: contendedBy(count), drive: contended(writeLock, count, cycles) },
    ]),
    {
      of: `semaphore of ${permits}`,
      cycle: contendedBy(10),
      drive: contended(semaphoreOf(permits), 10, cycles, permits),
    },
    { of: yardstick, cycle: 'nested call', drive: nested(cycles) },
    { of: read, cycle: 'nested call', drive: nested(cycles, readLocks) },
    ...inOneCall(yardstick, extent),
    ...inOneCall(write, extent, writeLocks),
    ...[10, 100, 1_000].map((readers) => ({
      of: read,
      cycle: `entry of a reader, ${readers} let in by one release`,
      // The same number of readers in all, whatever the size of a step.
      drive: letIn(readers, Math.max(2, Math.ceil((4 * cycles) / readers))),
    })),
  ]
}
