import { holdfast } from '../contenders/holdfast.js'
import { readLock, semaphoreOf, writeLock } from '../contenders/shared-objects.js'
import { contended } from './drives/contended.js'
import { plainLocks, readLocks, writeLocks } from './drives/kinds.js'
import { letIn } from './drives/let-in.js'
import { nested } from './drives/nested.js'
import { refresh } from './drives/refresh.js'
import { renewal } from './drives/renewal.js'
import { undisturbed } from './drives/undisturbed.js'
import { contendedBy, inOneCall, type Extent, type Subject } from './subjects.js'

/** What read/write locks and semaphores are measured against: the lock in the same situation. */
export const yardstick = 'lock'

const read = 'read lock'
const write = 'write lock'
const permits = 10

/** Cycles of the objects that several owners hold at once, beside those of the lock. */
export function sharedSubjects({ cycles, batch }: Extent): Subject[] {
  const { size, times } = batch
  const renewals = { ...batch, times: 2 * times }
  return [
    { of: yardstick, cycle: 'undisturbed', drive: undisturbed(holdfast, cycles) },
    { of: read, cycle: 'undisturbed', drive: undisturbed(readLock, cycles) },
    { of: write, cycle: 'undisturbed', drive: undisturbed(writeLock, cycles) },
    { of: read, cycle: 'beside 10 readers', drive: undisturbed(readLock, cycles, 10) },
    ...[1, 10, 200].flatMap((waiters) => {
      const cycle = contendedBy(waiters)
      return [
        { of: yardstick, cycle, drive: contended(holdfast, waiters, cycles) },
        { of: write, cycle, drive: contended(writeLock, waiters, cycles) },
      ]
    }),
    {
      of: `semaphore of ${permits}`,
      cycle: contendedBy(10),
      drive: contended(semaphoreOf(permits), 10, cycles, permits),
    },
    { of: yardstick, cycle: 'nested call', drive: nested(cycles) },
    { of: read, cycle: 'nested call', drive: nested(cycles, readLocks) },
    ...[
      { of: yardstick, kind: plainLocks },
      { of: write, kind: writeLocks },
    ].flatMap(({ of, kind }) => [
      { of, cycle: inOneCall.renewal(size), drive: renewal(renewals, kind) },
      { of, cycle: inOneCall.refreshOfOne(size), drive: refresh(batch, 1, kind) },
      { of, cycle: inOneCall.refreshOfMany(size), drive: refresh(batch, size, kind) },
    ]),
    ...[10, 100, 1_000].map((readers) => ({
      of: read,
      cycle: `entry of a reader, ${readers} let in by one release`,
      // The same number of readers in all, whatever the size of a step.
      drive: letIn(readers, Math.max(2, Math.ceil((4 * cycles) / readers))),
    })),
  ]
}
