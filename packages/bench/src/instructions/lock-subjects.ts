import type { Contender } from '../contender.js'
import { handOffByHand } from '../contenders/hand-off-floor.js'
import { holdfast, openSession } from '../contenders/holdfast.js'
import { setAndDelete } from '../contenders/set-and-delete.js'
import { contended } from './drives/contended.js'
import { nested } from './drives/nested.js'
import { refresh } from './drives/refresh.js'
import { renewal } from './drives/renewal.js'
import { undisturbed } from './drives/undisturbed.js'
import { contendedBy, inOneCall, type Extent, type Subject } from './subjects.js'

/** The name of both floors: that of a cycle without waiters, and that of a hand-off. */
export const floor = 'floor'

const interop: Pick<Contender, 'open'> = {
  open: (url) => Promise.resolve(openSession({ redis: url, interop: 'redisson' })),
}

/** Cycles of a lock, beside the least that Redis can do. */
export function lockSubjects({ cycles, batch }: Extent): Subject[] {
  const of = 'Holdfast'
  const { size, times } = batch
  return [
    { of: floor, cycle: 'undisturbed', drive: undisturbed(setAndDelete, cycles) },
    { of, cycle: 'undisturbed', drive: undisturbed(holdfast, cycles) },
    { of: `${of}, shared with Redisson`, cycle: 'undisturbed', drive: undisturbed(interop, cycles) },
    { of, cycle: 'nested call', drive: nested(cycles) },
    ...[1, 10, 200].flatMap((waiters) => {
      const cycle = contendedBy(waiters)
      return [
        { of: floor, cycle, drive: contended(handOffByHand, waiters, cycles) },
        { of, cycle, drive: contended(holdfast, waiters, cycles) },
      ]
    }),
    { of, cycle: inOneCall.renewal(size), drive: renewal({ ...batch, times: 2 * times }) },
    { of, cycle: inOneCall.refreshOfOne(size), drive: refresh(batch, 1) },
    { of, cycle: inOneCall.refreshOfMany(size), drive: refresh(batch, size) },
  ]
}
