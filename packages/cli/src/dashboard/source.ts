import type { Holdfast } from '@holdfast/core'

/** What the dashboard needs of a client: any `Holdfast` has it. */
export type DashboardSource = Pick<
  Holdfast,
  | 'clients'
  | 'clientReports'
  | 'stats'
  | 'traits'
  | 'getLock'
  | 'getReadWriteLock'
  | 'getSemaphore'
  | 'getCountDownLatch'
>
