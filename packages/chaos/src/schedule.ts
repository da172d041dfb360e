import fc from 'fast-check'
import type { FaultPlan } from './faults/fault-plan.js'
import { faultNamesOf, type FaultName } from './faults/fault-kinds.js'
import { lockCount, processCount } from './sizes.js'
import type { TopologyName } from './topologies.js'

/** One acquisition call of a process: when, how, and what it does inside. Times in milliseconds. */
export interface PlannedCall {
  /** After the start of the schedule. */
  readonly startMs: number
  /** Which of the locks. */
  readonly lock: number
  readonly style: 'withLock' | 'lock' | 'tryLock'
  /** `null`: no limit. */
  readonly waitMs: number | null
  /** `null`: the watchdog renews. */
  readonly leaseMs: number | null
  /** How long it works inside. */
  readonly workMs: number
  /** Further entries into the same hold, one inside the other. */
  readonly nested: number
  /** The wait's signal aborts this long after the call; `null`: never. */
  readonly abortAfterMs: number | null
}

export interface PlannedFault extends FaultPlan {
  readonly name: FaultName
}

/** What all processes do, and the faults injected while they do it. Plain data: printed, shrunk and replayed. */
export interface Schedule {
  /** Per process. */
  readonly calls: readonly (readonly PlannedCall[])[]
  readonly faults: readonly PlannedFault[]
}

const call = fc.record<PlannedCall>({
  startMs: fc.nat(600),
  lock: fc.nat(lockCount - 1),
  style: fc.constantFrom('withLock', 'lock', 'tryLock'),
  waitMs: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 800 }) },
  ),
  leaseMs: fc.option(fc.integer({ min: 100, max: 600 }), { freq: 2 }),
  workMs: fc.oneof(
    { weight: 18, arbitrary: fc.nat(40) },
    { weight: 6, arbitrary: fc.nat(500) },
    // Longer than a lease, so it has to be renewed.
    { weight: 1, arbitrary: fc.integer({ min: 700, max: 1_500 }) },
  ),
  nested: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) }),
  abortAfterMs: fc.option(fc.nat(400), { freq: 6 }),
})

/** Draws schedules with the faults that make sense on the topology. Smaller ones come first when it shrinks. */
export function scheduleFor(topology: TopologyName): fc.Arbitrary<Schedule> {
  const { common, own } = faultNamesOf(topology)
  const fault = fc.record<PlannedFault>({
    name: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...common) },
      ...(own.length > 0 ? [{ weight: 1, arbitrary: fc.constantFrom(...own) }] : []),
    ),
    atMs: fc.nat(600),
    forMs: fc.integer({ min: 10, max: 450 }),
    target: fc.nat(5),
  })
  return fc.record<Schedule>({
    calls: fc.array(fc.array(call, { maxLength: 7 }), { minLength: processCount, maxLength: processCount }),
    faults: fc.array(fault, { maxLength: 4 }),
  })
}
