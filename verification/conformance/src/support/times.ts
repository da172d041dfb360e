import type { Traits } from '@holdfast/core/engine'

/** Durations that suit an engine, milliseconds. */
export interface Times {
  /** A short lease that the engine can keep. */
  readonly leaseMs: number
  /** A short watchdog time, of which three renewals fit into a scenario. */
  readonly watchdogTimeoutMs: number
  /** What takes longer than this was not prompt: far below the default watchdog time, and generous to a slow machine. */
  readonly promptMs: number
}

/** The shortest durations with which scenarios still have room for a slow machine. */
export function timesFor({ lease, handOff }: Traits): Times {
  const kept = (wantedMs: number): number => {
    const atLeastMs = Math.max(wantedMs, lease.shortestMs, 4 * lease.marginMs)
    return Math.ceil(atLeastMs / lease.stepMs) * lease.stepMs
  }
  const pollMs = typeof handOff === 'string' ? 0 : handOff.pollMs[1]
  return { leaseMs: kept(400), watchdogTimeoutMs: kept(900), promptMs: 6_000 + 2 * pollMs }
}
