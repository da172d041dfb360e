import type {
  AcquireReply,
  AcquireRequest,
  Inspection,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  RenewalReply,
} from '@holdfast/core/engine'
import { admit, fenceMsFor, handOn, nextToken, type StepContext } from './hand-off.js'
import { dropTombstones, msUntil, ttlMsOf, type Hold, type LockState } from './lock-state.js'

// The steps of one lock. Each changes the given state, which was settled before, and is atomic by being synchronous. The
// Lua scripts do the same on Redis; a random comparison holds both to each other.

/** How many old tombstones a new one looks at, so that they cannot pile up and none costs more than that. */
const tombstonesPerSweep = 8

const released: ReleaseReply = { kind: 'released' }
const notHeld: ReleaseReply = { kind: 'not-held' }

/** Lets the owner in, sets the count of one that is in, or queues it. */
export function acquire(state: LockState, request: AcquireRequest, context: StepContext): AcquireReply {
  const { owner, count, leaseMs } = request
  const { nowUs } = context
  if (state.hold?.owner === owner) {
    state.hold.count = count
    extend(state.hold, leaseMs, nowUs)
    return { kind: 'held', token: tokenOfHold(state, request, context) }
  }
  if (count > 1) return { kind: 'lost' }
  if ((state.tombstones.get(owner) ?? 0) > nowUs) return { kind: 'abandoned' }
  if (!state.hold) handOn(state, context, owner)
  if (state.hold) {
    const position = takePosition(state, request, nowUs)
    return { kind: 'busy', ttlMs: ttlMsOf(state, nowUs), serverUs: nowUs, holder: state.hold.owner, position }
  }
  state.queue.delete(owner)
  return { kind: 'held', token: admit(state, owner, leaseMs, context) }
}

/** Sets the hold count; at 0 gives up the hold and the queue entry, and hands a free lock on. */
export function release(state: LockState, request: ReleaseRequest, context: StepContext): ReleaseReply {
  const { owner, count } = request
  const { hold } = state
  const isMine = hold?.owner === owner
  if (count > 0) {
    if (isMine) hold.count = count
    return isMine ? released : notHeld
  }
  if (isMine) state.hold = null
  state.queue.delete(owner)
  leaveTombstone(state, request, context.nowUs)
  if (!state.hold) handOn(state, context)
  return isMine ? released : notHeld
}

/** Evicts the owner and hands the lock on. */
export function force(state: LockState, owner: string, context: StepContext): ReleaseReply {
  if (state.hold?.owner !== owner) return notHeld
  state.hold = null
  context.notify({ kind: 'revoked', owner })
  handOn(state, context)
  return released
}

/** Extends the lease of a holder. */
export function renew({ hold }: LockState, owner: string, leaseMs: number, nowUs: number): RenewalReply {
  if (hold?.owner !== owner) return 'not-held'
  extend(hold, leaseMs, nowUs)
  return 'renewed'
}

/** Keeps a queue entry alive. */
export function refresh(state: LockState, owner: string, entryTtlMs: number, nowUs: number): QueueEntryReply {
  const ttlMs = ttlMsOf(state, nowUs)
  const entry = state.queue.get(owner)
  if (!entry || entry.aliveUntilUs <= nowUs) {
    return { state: state.hold?.owner === owner ? 'granted' : 'missing', ttlMs }
  }
  entry.aliveUntilUs = nowUs + entryTtlMs * 1_000
  keepQueue(state, entryTtlMs, nowUs)
  return { state: 'waiting', ttlMs }
}

/** Who holds and who waits. Changes nothing. */
export function inspect(state: LockState, limit: number, nowUs: number): Inspection {
  const listed = [...state.queue].slice(0, limit)
  return {
    kind: 'lock',
    owner: state.hold?.owner ?? '',
    count: state.hold?.count ?? 0,
    ttlMs: ttlMsOf(state, nowUs),
    token: state.fence?.token ?? 0,
    waiterCount: state.queue.size,
    waiters: listed.map(([owner, { aliveUntilUs }]) => ({
      owner,
      aliveMs: Math.max(0, msUntil(aliveUntilUs, nowUs)),
    })),
  }
}

function extend(hold: Hold, leaseMs: number, nowUs: number): void {
  hold.untilUs = Math.max(hold.untilUs, nowUs + leaseMs * 1_000)
}

/** The token of a hold that is there already. A repeated first request lost its reply, and maybe the fence since. */
function tokenOfHold(state: LockState, { count, leaseMs }: AcquireRequest, context: StepContext): number {
  if (count > 1) return state.fence?.token ?? 0
  if (!state.fence) return nextToken(state, leaseMs, context)
  state.fence.untilUs = Math.max(state.fence.untilUs, context.nowUs + fenceMsFor(leaseMs) * 1_000)
  return state.fence.token
}

/** Queues the owner if it wants to wait. A repeated request keeps its position. Returns that, or 0. */
function takePosition(state: LockState, request: AcquireRequest, nowUs: number): number {
  const { owner, entryTtlMs, grantLeaseMs } = request
  if (entryTtlMs === 0) return 0
  keepQueue(state, entryTtlMs, nowUs)
  const isNew = !state.queue.has(owner)
  state.queue.set(owner, { aliveUntilUs: nowUs + entryTtlMs * 1_000, grantLeaseMs })
  return isNew ? state.queue.size : [...state.queue.keys()].indexOf(owner) + 1
}

/** Has the queue outlive an entry. By more than that, so that few entries have to see to it. */
function keepQueue(state: LockState, entryTtlMs: number, nowUs: number): void {
  const leftMs = state.queue.size > 0 ? (state.queueUntilUs - nowUs) / 1_000 : 0
  if (leftMs < 1.25 * entryTtlMs) state.queueUntilUs = nowUs + 2 * entryTtlMs * 1_000
}

/** Has late requests of the owner refused. A tombstone outlives the releases without one that follow it. */
function leaveTombstone(state: LockState, { owner, tombstoneMs }: ReleaseRequest, nowUs: number): void {
  if (tombstoneMs === 0) return
  dropTombstones(state, nowUs, tombstonesPerSweep)
  state.tombstones.delete(owner)
  state.tombstones.set(owner, nowUs + tombstoneMs * 1_000)
}
