import type { Contender } from '../contender.js'
import { handOffByHand } from '../contenders/hand-off-floor.js'
import { holdfast, openSession } from '../contenders/holdfast.js'
import { setAndDelete } from '../contenders/set-and-delete.js'
import { contended } from './drives/contended.js'
import type { Drive } from './drives/drive.js'
import { nested } from './drives/nested.js'
import { refresh } from './drives/refresh.js'
import { renewal } from './drives/renewal.js'
import { undisturbed } from './drives/undisturbed.js'

/** A row of the table. */
export interface Subject {
  readonly of: string
  readonly cycle: string
  readonly drive: Drive
}

/** The name of both floors: that of a cycle without waiters, and that of a hand-off. */
export const floor = 'floor'

const shared: Pick<Contender, 'open'> = {
  open: (url) => Promise.resolve(openSession({ redis: url, interop: 'redisson' })),
}

/** Everything that is counted. */
export function subjects(isTrial: boolean): Subject[] {
  const of = 'Holdfast'
  const cycles = isTrial ? 20 : 500
  const batch = isTrial
    ? { size: 20, times: 2, watchdogTimeoutMs: 6_000 }
    : { size: 500, times: 5, watchdogTimeoutMs: 18_000 }
  const { size } = batch
  return [
    { of: floor, cycle: 'undisturbed', drive: undisturbed(setAndDelete, cycles) },
    { of, cycle: 'undisturbed', drive: undisturbed(holdfast, cycles) },
    { of: `${of}, shared with Redisson`, cycle: 'undisturbed', drive: undisturbed(shared, cycles) },
    { of, cycle: 'nested call', drive: nested(cycles) },
    ...[1, 10, 200].flatMap((waiters) => {
      const cycle = `contended, ${waiters} ${waiters === 1 ? 'waiter' : 'waiters'}`
      return [
        { of: floor, cycle, drive: contended(handOffByHand, waiters, cycles) },
        { of, cycle, drive: contended(holdfast, waiters, cycles) },
      ]
    }),
    {
      of,
      cycle: `renewal of a hold, ${size} in a call`,
      drive: renewal({ ...batch, times: 2 * batch.times }),
    },
    { of, cycle: `refresh of a queue entry, ${size} in one queue`, drive: refresh(batch, 1) },
    { of, cycle: `refresh of a queue entry, ${size} in as many queues`, drive: refresh(batch, size) },
  ]
}
