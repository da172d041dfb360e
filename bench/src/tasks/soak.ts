import { getEventListeners } from 'node:events'
import type { Session } from '../contender.js'
import { weigh, type Weight } from '../heap.js'
import { SoakedClient } from './soaked-client.js'

export interface SoakOrder {
  readonly url: string
  readonly forMs: number
  readonly cyclesPerSecond: number | null
}

export interface SoakSample extends Weight {
  /** Since the last sample. */
  readonly cycles: number
  readonly unanswered: number
  readonly activeResources: number
  readonly signalListeners: number
}

let soak: SoakedClient | undefined

/** Continues the soak that the first call began, for `forMs`, and samples what this process keeps when idle. */
export async function soakOn(
  _session: Session,
  { url, forMs, cyclesPerSecond }: SoakOrder,
): Promise<SoakSample> {
  soak ??= new SoakedClient(url)
  const cycles = await soak.run(forMs, cyclesPerSecond ?? Infinity)
  return {
    cycles,
    unanswered: soak.unanswered,
    ...(await weigh()),
    activeResources: process.getActiveResourcesInfo().length,
    signalListeners: getEventListeners(soak.signal, 'abort').length,
  }
}
