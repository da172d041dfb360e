import type { ContendOrder, Entry } from './tasks/contend.js'

/** Processes of one contender that can contend for one lock. */
export interface Rivals {
  /** One list of entries per process. */
  contend(orders: readonly ContendOrder[]): Promise<readonly (readonly Entry[])[]>
  stop(): Promise<void>
}
