import type { StateKind } from './state-kind.js'

/** What the store keeps of one latch. Instants are microseconds of the store's clock. */
export interface LatchRecord {
  generation: number
  first: number
  opened: number
  left: number
  previous: number
  count: number
  keepMs: number
  setter: string
  /** The store that had the data when the count was set. */
  incarnation: string
  readonly parties: Set<string>
  /** When all of that is dropped. */
  untilUs: number
  /** The clients that wait, and until when they are to be notified. Not dropped with the rest: they also wait for a count. */
  readonly waiters: Map<string, number>
}

export const noLatch = (): LatchRecord => ({
  generation: 0,
  first: 1,
  opened: 0,
  left: 0,
  previous: 0,
  count: 0,
  keepMs: 0,
  setter: '',
  incarnation: '',
  parties: new Set(),
  untilUs: 0,
  waiters: new Map(),
})

/** Ends what is due. Precedes every step. */
export function settleLatch(latch: LatchRecord, nowUs: number): void {
  if (latch.untilUs <= nowUs) Object.assign(latch, { ...noLatch(), waiters: latch.waiters })
  for (const [clientId, untilUs] of latch.waiters) if (untilUs <= nowUs) latch.waiters.delete(clientId)
}

/** Whether nothing would be lost by forgetting this latch. */
const isNoLatch = ({ generation, waiters }: LatchRecord): boolean => generation === 0 && waiters.size === 0

export const latchKind: StateKind<LatchRecord> = {
  make: noLatch,
  settle: settleLatch,
  // A deleted latch is a state like any other.
  sweep: () => undefined,
  isEmpty: isNoLatch,
}
