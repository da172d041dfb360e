import { dropDead, type Claimed } from './claims.js'
import type { ObjectKind } from './document-kind.js'
import {
  latchKind,
  lockKind,
  sharedKind,
  type LatchRecord,
  type LockState,
  type SharedHold,
  type SharedState,
  type StateKind,
  type Waiting,
  type WaitingState,
} from './steps/index.js'

// What is kept of an object, as JSON: maps and sets are lists there.

type Listed<Value> = readonly (readonly [string, Value])[]

/** What documents with a queue have in common. */
interface WrittenQueue<Entry extends Waiting> {
  readonly queue: Listed<Entry>
  readonly queueUntilUs: number
  readonly tombstones: Listed<number>
  readonly fence: WaitingState['fence']
  readonly unclaimed: readonly string[]
}

export type WrittenLock = WrittenQueue<Waiting> & Pick<LockState, 'hold'>

export type WrittenShared = WrittenQueue<
  SharedState['queue'] extends Map<string, infer Entry> ? Entry : never
> &
  Pick<SharedState, 'resized'> & { readonly holds: Listed<SharedHold> }

export type WrittenLatch = Omit<LatchRecord, 'parties' | 'waiters'> & {
  readonly parties: readonly string[]
  readonly waiters: Listed<number>
}

const writeQueue = <Entry extends Waiting>(
  { queue, queueUntilUs, tombstones, fence }: WaitingState<Entry>,
  unclaimed: Set<string>,
): WrittenQueue<Entry> => ({
  queue: [...queue],
  queueUntilUs,
  tombstones: [...tombstones],
  fence,
  unclaimed: [...unclaimed],
})

const readQueue = <Entry extends Waiting>(written: WrittenQueue<Entry>): WaitingState<Entry> => ({
  queue: new Map(written.queue),
  queueUntilUs: written.queueUntilUs,
  tombstones: new Map(written.tombstones),
  fence: written.fence,
})

/** When the last thing of these ends. */
const latest = (ends: Iterable<number>): number => {
  let last = 0
  for (const end of ends) last = Math.max(last, end)
  return last
}

const queueEndUs = ({ queue, queueUntilUs, tombstones, fence }: WaitingState): number =>
  latest([queue.size > 0 ? queueUntilUs : 0, ...tombstones.values(), fence?.untilUs ?? 0])

/** What all kinds of objects have in common that owners wait for. */
const claimed = <State extends WaitingState>(
  kind: StateKind<State>,
  holds: (state: State, owner: string) => boolean,
) => ({
  make: (): Claimed<State> => ({ state: kind.make(), unclaimed: new Set() }),
  settle: (content: Claimed<State>, nowUs: number): void => {
    const { state } = content
    kind.settle(state, nowUs)
    kind.sweep(state, nowUs)
    dropDead(content, (owner) => holds(state, owner))
  },
  isEmpty: ({ state }: Claimed<State>): boolean => kind.isEmpty(state),
  hasQueue: ({ state }: Claimed<State>): boolean => state.queue.size > 0,
})

export const holdsLock = ({ hold }: LockState, owner: string): boolean => hold?.owner === owner

export const lockDocuments: ObjectKind<Claimed<LockState>, WrittenLock> = {
  ...claimed(lockKind, holdsLock),
  isInUse: ({ state }) => state.hold !== null || state.queue.size > 0,
  endUs: ({ state }) => Math.max(state.hold?.untilUs ?? 0, queueEndUs(state)),
  write: ({ state, unclaimed }) => ({ hold: state.hold, ...writeQueue(state, unclaimed) }),
  read: (written) => ({
    state: { hold: written.hold, ...readQueue(written) },
    unclaimed: new Set(written.unclaimed),
  }),
}

export const holdsPermits = ({ holds }: SharedState, owner: string): boolean => holds.has(owner)

export const sharedDocuments: ObjectKind<Claimed<SharedState>, WrittenShared> = {
  ...claimed(sharedKind, holdsPermits),
  isInUse: ({ state }) => state.holds.size > 0 || state.queue.size > 0,
  endUs: ({ state }) =>
    latest([
      ...[...state.holds.values()].map(({ untilUs }) => untilUs),
      state.resized?.untilUs ?? 0,
      queueEndUs(state),
    ]),
  write: ({ state, unclaimed }) => ({
    holds: [...state.holds],
    resized: state.resized,
    ...writeQueue(state, unclaimed),
  }),
  read: (written) => ({
    state: { holds: new Map(written.holds), resized: written.resized, ...readQueue(written) },
    unclaimed: new Set(written.unclaimed),
  }),
}

export const latchDocuments: ObjectKind<LatchRecord, WrittenLatch> = {
  make: () => latchKind.make(),
  settle: (latch, nowUs) => latchKind.settle(latch, nowUs),
  isEmpty: (latch) => latchKind.isEmpty(latch),
  isInUse: (latch) => !latchKind.isEmpty(latch),
  hasQueue: ({ waiters }) => waiters.size > 0,
  endUs: ({ untilUs, waiters }) => latest([untilUs, ...waiters.values()]),
  write: ({ parties, waiters, ...record }) => ({ ...record, parties: [...parties], waiters: [...waiters] }),
  read: ({ parties, waiters, ...record }) => ({
    ...record,
    parties: new Set(parties),
    waiters: new Map(waiters),
  }),
}
