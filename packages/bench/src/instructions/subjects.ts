import type { Drive } from './drives/drive.js'

/** A row of the table. */
export interface Subject {
  readonly of: string
  readonly cycle: string
  readonly drive: Drive
}

/** How much is recorded and replayed of each subject. */
export interface Extent {
  readonly cycles: number
  /** Holds or queue entries that a client handles in one call, and how often the replay makes the call. */
  readonly batch: { readonly size: number; readonly times: number; readonly watchdogTimeoutMs: number }
}

export const extentOf = (isTrial: boolean): Extent =>
  isTrial
    ? { cycles: 20, batch: { size: 20, times: 2, watchdogTimeoutMs: 6_000 } }
    : { cycles: 500, batch: { size: 500, times: 5, watchdogTimeoutMs: 18_000 } }

export const contendedBy = (waiters: number): string =>
  `contended, ${waiters} ${waiters === 1 ? 'waiter' : 'waiters'}`

/** What is counted per hold or queue entry, of so many in one call. */
export const inOneCall = {
  renewal: (size: number): string => `renewal of a hold, ${size} in a call`,
  refreshOfOne: (size: number): string => `refresh of a queue entry, ${size} in one queue`,
  refreshOfMany: (size: number): string => `refresh of a queue entry, ${size} in as many queues`,
}
