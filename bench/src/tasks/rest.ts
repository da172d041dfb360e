import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../contender.js'
import { weigh } from '../heap.js'

/** What a client that does nothing occupies, and what it takes of a processor. */
export interface Rest {
  readonly cpuMsPerMinute: number
  readonly heapKiB: number
  /** Those that keep the process alive. */
  readonly timers: number
}

/** Does nothing for `forMs`. */
export async function rest(_session: Session, { forMs }: { readonly forMs: number }): Promise<Rest> {
  const { heapBytes } = await weigh()
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = process.cpuUsage()
  await sleep(forMs)
  const { user, system } = process.cpuUsage(before)
  return {
    cpuMsPerMinute: ((user + system) / 1_000) * (60_000 / forMs),
    heapKiB: heapBytes / 1_024,
    timers,
  }
}
