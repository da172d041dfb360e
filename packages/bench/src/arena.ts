import { commandsPerCycle, greetingsAndPings } from './commands.js'
import { handOffsIn } from './hand-offs.js'
import { race, type Rivals } from './rivals.js'
import type { Seen } from './rounds.js'
import type { Pace } from './tasks/cycles.js'

/** Rivals, and how many of them want the lock in how many processes. */
export interface Cell {
  readonly rivals: Rivals
  readonly waiters: number
  readonly processes: number
}

/** So many hand-offs, a window should show; none is longer than that. */
const wantedHandOffs = 20
const longestWindowMs = 500

/** Lets a cell play, and returns what the window showed. After too short a window, that cell's next one is longer. */
export function playing(shortestWindowMs: number): (cell: Cell) => Promise<Seen> {
  const windows = new Map<Cell, number>()
  return async (cell) => {
    const { visits, window } = await play(cell, windows.get(cell) ?? shortestWindowMs)
    const seen = handOffsIn(visits, cell.waiters, window)
    const neededMs = (wantedHandOffs * seen.usPerHandOff) / 1_000
    windows.set(cell, Math.min(longestWindowMs, Math.max(shortestWindowMs, neededMs)))
    return { ...seen }
  }
}

/** Commands per time through the lock, in a run of its own: a server that shows its commands is slower. */
export function commandsIn(cell: Cell, url: string, windowMs: number): Promise<number> {
  const run = async (): Promise<Pace> => {
    const { visits } = await play(cell, windowMs)
    return { cycles: visits.length, us: NaN }
  }
  return commandsPerCycle(url, run, greetingsAndPings)
}

function play({ rivals, waiters, processes }: Cell, windowMs: number) {
  const lock = `${rivals.title}: ${waiters} in ${processes}`
  // So that everybody has a place in the queue when the window begins.
  const warmUpMs = 70 + waiters / 5
  return race(rivals, { lock, waiters, processes, warmUpMs, windowMs })
}
