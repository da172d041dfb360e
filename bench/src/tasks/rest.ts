import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../contender.js'

/** What a client that does nothing needs. */
export interface Rest {
  readonly cpuMsPerMinute: number
  /** Those that keep the process alive. */
  readonly timers: number
}

/** For what it did before, such as collecting garbage. */
const settleMs = 1_000

/** Does nothing for `forMs`. */
export async function rest(_session: Session, { forMs }: { readonly forMs: number }): Promise<Rest> {
  await sleep(settleMs)
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = process.cpuUsage()
  await sleep(forMs)
  const { user, system } = process.cpuUsage(before)
  return { cpuMsPerMinute: ((user + system) / 1_000) * (60_000 / forMs), timers }
}
