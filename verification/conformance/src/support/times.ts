import type { Traits } from '@holdfast/core/engine'

/** Durations that suit an engine, milliseconds. */
export interface Times {
  /** A short lease that the engine can keep. */
  readonly leaseMs: number
  /** A short watchdog time, of which three renewals fit into a scenario. */
  readonly watchdogTimeoutMs: number
  /** A short wait, within which the store replies even if the machine stalls. */
  readonly waitMs: number
  /** What takes longer than this was not prompt: far below the default watchdog time, and generous to a slow machine, unless time is exact. */
  readonly promptMs: number
}

/** Some trips, and the time that a client takes to notice a broken link. */
const exactlyPromptMs = 700

/** The shortest durations with which scenarios still have room for a slow machine. */
export function timesFor({ lease, handOff }: Traits, isExact: boolean): Times {
  const kept = (wantedMs: number): number => {
    const atLeastMs = Math.max(wantedMs, lease.shortestMs, 4 * lease.marginMs)
    return Math.ceil(atLeastMs / lease.stepMs) * lease.stepMs
  }
  const pollMs = typeof handOff === 'string' ? 0 : handOff.pollMs[1]
  return {
    leaseMs: kept(1_200),
    watchdogTimeoutMs: kept(2_400),
    waitMs: 1_500,
    promptMs: (isExact ? exactlyPromptMs : 6_000) + 2 * pollMs,
  }
}
