import fc from 'fast-check'
import type { FaultPlan } from './faults/fault-plan.js'
import type { FaultName } from './faults/fault-kinds.js'
import { semaphoreSize, type ObjectName } from './objects.js'
import { lockCount, processCount } from './sizes.js'

/** A call that takes over what another one has handed over. */
export interface PlannedTaker {
  /** How many processes after the one that hands over. */
  readonly process: number
  /** After the ticket was written. */
  readonly afterMs: number
  readonly leaseMs: number | null
  readonly workMs: number
}

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
  /** Of a read/write lock: the side that it wants. */
  readonly side?: 'read' | 'write'
  /** And the side of its nested entries. */
  readonly nestedSide?: 'read' | 'write'
  /** Whether a writer takes the read lock too, and leaves the write lock first. */
  readonly downgrades?: boolean
  /** Of a semaphore: how many permits it wants. */
  readonly permits?: number
  /** And how many of them it gives back halfway, if it has more. */
  readonly givesBack?: number
  /** Of a latch: what it does. */
  readonly step?: 'set' | 'countDown' | 'wait' | 'delete'
  /** How many parties it sets. */
  readonly parties?: number
  /** The name under which it counts down; `null`: none. */
  readonly as?: string | null
  /** Of a multi lock: it takes all locks, given in this order. Absent: one of them. */
  readonly together?: 'in order' | 'reversed'
  /** Its release keeps the lock until so long after the grant. */
  readonly atLeastMs?: number | undefined
  /** It hands the lock over when it has worked, by one ticket to all of these. */
  readonly handsOver?: { readonly withinMs: number; readonly takers: readonly PlannedTaker[] } | undefined
}

/** A change of how many permits a semaphore has, for a while. */
export interface PlannedResize {
  /** Which process calls. */
  readonly process: number
  readonly lock: number
  readonly atMs: number
  readonly size: number
  readonly keepMs: number
}

export interface PlannedFault<Name extends string = FaultName> extends FaultPlan {
  readonly name: Name
}

/** What all processes do, and the faults injected while they do it. Plain data: printed, shrunk and replayed. */
export interface Schedule<Fault extends string = FaultName> {
  /** What the locks are. Absent: locks. */
  readonly object?: ObjectName
  /** Per process. */
  readonly calls: readonly (readonly PlannedCall[])[]
  readonly faults: readonly PlannedFault<Fault>[]
  /** Of semaphores. */
  readonly resizes?: readonly PlannedResize[]
}

const call = {
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
}

const side = fc.oneof(
  { weight: 3, arbitrary: fc.constant('read' as const) },
  { weight: 2, arbitrary: fc.constant('write' as const) },
)

const permits = fc.oneof(
  { weight: 3, arbitrary: fc.constant(1) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: semaphoreSize }) },
  { weight: 1, arbitrary: fc.constant(semaphoreSize) },
)

const latchCall = {
  ...call,
  // Mostly the same one: several parties make it open.
  lock: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(lockCount - 1) }),
  // Nothing says that it will ever open.
  waitMs: fc.nat(1_200),
  abortAfterMs: fc.option(fc.nat(400), { freq: 2 }),
  leaseMs: fc.constant(null),
  workMs: fc.constant(0),
  nested: fc.constant(0),
  parties: fc.integer({ min: 1, max: 2 }),
  as: fc.constantFrom(null, 'a', 'b', 'c'),
}

const latchStep = fc.oneof(
  { weight: 2, arbitrary: fc.constant('set' as const) },
  { weight: 10, arbitrary: fc.constant('countDown' as const) },
  { weight: 10, arbitrary: fc.constant('wait' as const) },
  { weight: 1, arbitrary: fc.constant('delete' as const) },
)

const taker = fc.record<PlannedTaker>({
  process: fc.nat(processCount - 1),
  afterMs: fc.oneof({ weight: 3, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.nat(600) }),
  leaseMs: call.leaseMs,
  workMs: fc.nat(60),
})

const handOverCall = {
  ...call,
  workMs: fc.nat(60),
  nested: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
}

const callOn: Readonly<Record<ObjectName, fc.Arbitrary<PlannedCall>>> = {
  lock: fc.record<PlannedCall>(call),
  'read-write-lock': fc.record<PlannedCall>({
    ...call,
    side,
    nestedSide: side,
    downgrades: fc.oneof(
      { weight: 2, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  }),
  semaphore: fc.record<PlannedCall>({
    ...call,
    nested: fc.constant(0),
    permits,
    givesBack: fc.oneof(
      { weight: 2, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: semaphoreSize - 1 }) },
    ),
  }),
  latch: fc.oneof(
    // Early, so that there is something to count down.
    {
      weight: 1,
      arbitrary: fc.record<PlannedCall>({
        ...latchCall,
        startMs: fc.nat(150),
        step: fc.constant('set' as const),
      }),
    },
    { weight: 3, arbitrary: fc.record<PlannedCall>({ ...latchCall, step: latchStep }) },
  ),
  'multi-lock': fc.oneof(
    { weight: 1, arbitrary: fc.record<PlannedCall>(call) },
    {
      weight: 1,
      arbitrary: fc.record<PlannedCall>({
        ...call,
        together: fc.constantFrom('in order' as const, 'reversed' as const),
      }),
    },
  ),
  quorum: fc.record<PlannedCall>(call),
  'hand-over': fc.oneof(
    { weight: 2, arbitrary: fc.record<PlannedCall>(handOverCall) },
    {
      weight: 1,
      arbitrary: fc.record<PlannedCall>({
        ...handOverCall,
        atLeastMs: fc.integer({ min: 1, max: 300 }),
        // One that keeps a lock for longer than its lease is refused.
        leaseMs: fc.constant(null),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record<PlannedCall>({
        ...handOverCall,
        style: fc.constantFrom('lock' as const, 'tryLock' as const),
        handsOver: fc.record({
          withinMs: fc.integer({ min: 100, max: 800 }),
          takers: fc.array(taker, { maxLength: 3 }),
        }),
      }),
    },
  ),
}

const resize = fc.record<PlannedResize>({
  process: fc.nat(processCount - 1),
  lock: fc.nat(lockCount - 1),
  atMs: fc.nat(600),
  size: fc.nat(semaphoreSize + 2),
  keepMs: fc.integer({ min: 50, max: 600 }),
})

const withLeases =
  (longerMs: number) =>
  (calls: PlannedCall[][]): PlannedCall[][] =>
    calls.map((own) =>
      own.map((each) => ({ ...each, leaseMs: each.leaseMs === null ? null : each.leaseMs + longerMs })),
    )

/** The kinds of faults that a schedule draws from. */
export interface FaultNames<Name extends string> {
  /** Drawn four times as often as the others. */
  readonly common: readonly Name[]
  readonly own: readonly Name[]
}

/**
 * Draws schedules with these faults. Smaller ones come first when it shrinks.
 *
 * @param longerMs - by how much leases are longer where the shortest ones of the others are refused
 * @param longestFaultMs - less than a lease unless given
 */
export function schedulesWith<Name extends string>(
  { common, own }: FaultNames<Name>,
  object: ObjectName,
  longerMs = 0,
  longestFaultMs = 450,
): fc.Arbitrary<Schedule<Name>> {
  const fault = fc.record<PlannedFault<Name>>({
    name: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...common) },
      ...(own.length > 0 ? [{ weight: 1, arbitrary: fc.constantFrom(...own) }] : []),
    ),
    atMs: fc.nat(600),
    forMs: fc.integer({ min: 10, max: longestFaultMs }),
    target: fc.nat(5),
  })
  const calls = fc.array(callOn[object], { maxLength: 7 })
  const what = {
    calls: fc.array(calls, { minLength: processCount, maxLength: processCount }),
    faults: fc.array(fault, { maxLength: 4 }),
  }
  if (longerMs > 0) what.calls = what.calls.map(withLeases(longerMs))
  // The seeds of locks draw what they always have.
  if (object === 'lock') return fc.record<Schedule<Name>>(what)
  if (object !== 'semaphore') return fc.record<Schedule<Name>>({ object: fc.constant(object), ...what })
  const resizes = fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(resize, { maxLength: 3 }) },
  )
  return fc.record<Schedule<Name>>({ object: fc.constant(object), ...what, resizes })
}

/** The schedule of this seed, or the shorter one at that path; the same one every time. */
export function drawFrom<S>(schedules: fc.Arbitrary<S>, seed: number, path = ''): S {
  const [schedule] = fc.sample(schedules, { seed, path, numRuns: 1, unbiased: true })
  if (!schedule) throw new Error(`seed ${seed} yields no schedule`)
  return schedule
}
