import { commandsPerCycle, handshakeAndPings } from './commands.js'
import { handOffsIn } from './hand-offs.js'
import { runContention, type Rivals } from './rivals.js'
import type { Seen } from './rounds.js'
import type { Pace } from './tasks/cycles.js'

/** Rivals, with the number of waiters and of processes among which they are spread. */
export interface ContentionSetup {
  readonly rivals: Rivals
  readonly waiters: number
  readonly processes: number
}

/** A window should contain this many hand-offs, but is never longer than the maximum. */
const wantedHandOffs = 20
const maxWindowMs = 500

/** Measures one window of a setup at a time. After a window with too few hand-offs, that setup's next one is longer. */
export function contentionMeter(minWindowMs: number): (setup: ContentionSetup) => Promise<Seen> {
  const windows = new Map<ContentionSetup, number>()
  return async (setup) => {
    const { visits, window } = await contend(setup, windows.get(setup) ?? minWindowMs)
    const seen = handOffsIn(visits, setup.waiters, window)
    const neededMs = (wantedHandOffs * seen.usPerHandOff) / 1_000
    windows.set(setup, Math.min(maxWindowMs, Math.max(minWindowMs, neededMs)))
    return { ...seen }
  }
}

/** Commands per cycle, counted in a separate run: a server in MONITOR mode is slower. */
export function commandsIn(setup: ContentionSetup, url: string, windowMs: number): Promise<number> {
  return commandsPerCycle(url, () => contendedCycles(setup, windowMs), handshakeAndPings)
}

/** How many cycles there are in a window; not for timing them. */
export async function contendedCycles(setup: ContentionSetup, windowMs: number): Promise<Pace> {
  const { visits } = await contend(setup, windowMs)
  return { cycles: visits.length, us: NaN }
}

function contend({ rivals, waiters, processes }: ContentionSetup, windowMs: number) {
  const lock = `${rivals.title}: ${waiters} in ${processes}`
  // So that every waiter is queued when the window begins.
  const warmUpMs = 70 + waiters / 5
  return runContention(rivals, { lock, waiters, processes, warmUpMs, windowMs })
}
