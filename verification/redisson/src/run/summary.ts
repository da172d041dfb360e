import type { PeerCycles } from './cycles.js'

/** How long something took, in milliseconds. */
export interface Distribution {
  readonly median: number
  readonly p99: number
  readonly max: number
}

export function distributionOf(times: readonly number[]): Distribution {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { median: at(0.5), p99: at(0.99), max: at(1) }
}

/** The part of one library's clients, or of one of them, in a run. */
export interface Part {
  readonly cycles: number
  /** Of all cycles, from 0 to 1. */
  readonly share: number
  /** From request to entry. */
  readonly waits: Distribution
}

export function partOf(some: readonly PeerCycles[], run: readonly PeerCycles[]): Part {
  const waits = some.flatMap(({ cycles }) => cycles.map((cycle) => cycle.enteredAtMs - cycle.requestedAtMs))
  const all = run.reduce((sum, { cycles }) => sum + cycles.length, 0)
  return { cycles: waits.length, share: waits.length / all, waits: distributionOf(waits) }
}

/** The run by library: each library is a side. */
export function sidesOf(run: readonly PeerCycles[]): Map<string, Part> {
  const names = [...new Set(run.map(({ peer }) => peer.name))]
  return new Map(
    names.map((name) => [
      name,
      partOf(
        run.filter(({ peer }) => peer.name === name),
        run,
      ),
    ]),
  )
}

/** The times from each leaving to the next entering. */
export function gapsOf(run: readonly PeerCycles[]): number[] {
  const inOrder = run.flatMap(({ cycles }) => cycles).sort((a, b) => a.enteredAtMs - b.enteredAtMs)
  return inOrder.slice(1).map((cycle, n) => cycle.enteredAtMs - (inOrder[n]?.leftAtMs ?? NaN))
}
