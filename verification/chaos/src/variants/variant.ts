import type { Promised } from '@holdfast/testkit'
import type { TopologyName } from '../topologies.js'
import type { PlannedCall, PlannedFault, Schedule } from '../schedule.js'

/** The packages that make up the library. */
export const variedPackages = ['core', 'postgres'] as const
export type VariedPackage = (typeof variedPackages)[number]

/** In one file of the built library, replaces every occurrence of a text. */
export interface Edit {
  /** Whose file; of the core unless given. */
  readonly of?: VariedPackage
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** The library with one bug, and a schedule that exposes it. */
export interface Variant {
  readonly name: string
  readonly edits: readonly Edit[]
  /** At least one of these promises must be found broken. */
  readonly breaks: readonly Promised[]
  readonly schedule: Schedule
  /** Where it runs; on a single server unless given. */
  readonly topology?: TopologyName
}

export function call(startMs: number, workMs: number, more: Partial<PlannedCall> = {}): PlannedCall {
  return {
    startMs,
    workMs,
    lock: 0,
    style: 'withLock',
    waitMs: null,
    leaseMs: null,
    nested: 0,
    abortAfterMs: null,
    ...more,
  }
}

/** The first use sends Redis a few extra commands; after this call, processes are quick. */
export const warmUp = call(0, 0, { lock: 1 })

export function fault(name: PlannedFault['name'], atMs: number, forMs: number, target: number): PlannedFault {
  return { name, atMs, forMs, target }
}

export const P1 = 0
export const P2 = 1
