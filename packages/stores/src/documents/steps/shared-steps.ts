import type {
  AcquireReply,
  AcquireRequest,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  RenewalReply,
  ResizeReply,
  ResizeRequest,
  SharedInspection,
} from '@holdfast/core/engine'
import { handOn, keepFence, nextToken, type OffersEnd, type Outcome, type StepContext } from './hand-off.js'
import { byEnd, usedOf, type SharedHold, type SharedState, type SharedWaiting } from './shared-state.js'
import {
  isAbandoned,
  keepEntry,
  leaveTombstone,
  listed,
  msUntil,
  positionOf,
  takePosition,
} from './waiting-state.js'

// The steps of a read/write lock or semaphore. Like those of a lock: see there.

/** A blocked owner whose state nothing can change by itself looks again after this time, for nothing. */
const idleMs = 60_000

const released: ReleaseReply = { kind: 'released' }
const notHeld: ReleaseReply = { kind: 'not-held' }

/** Lets the owner in if its permits fit and nobody ahead waits for more, or queues it. */
export function acquire(state: SharedState, request: AcquireRequest, context: StepContext): AcquireReply {
  const { owner, count: want, size = want, leaseMs, entryTtlMs, grantLeaseMs, proof } = request
  const { nowUs } = context
  const hold = state.holds.get(owner)
  if (hold) {
    // It gave some back after it had sent this.
    if (hold.permits < want) return { kind: 'lost' }
    extend(hold, leaseMs, nowUs)
    keepFence(state, leaseMs, nowUs)
    return { kind: 'held', token: hold.token }
  }
  if (isAbandoned(state, owner, nowUs)) return { kind: 'abandoned' }
  const entry = { want, size, grantLeaseMs, proof }
  // At its own position it is judged as it is now.
  if (entryTtlMs > 0 && state.queue.has(owner)) {
    state.queue.set(owner, { ...entry, aliveUntilUs: nowUs + entryTtlMs * 1_000 })
  }
  const fits = usedOf(state) + want <= (state.resized?.size ?? size)
  // One that comes last and does not fit leaves the queue as it is. Those in it look for themselves when a lease has ended.
  const requester = { owner, want, size, leaseMs }
  const blocker = fits || state.queue.has(owner) ? letIn(state, context, requester) : undefined
  const { token } = state.holds.get(owner) ?? {}
  if (token !== undefined) return { kind: 'held', token }
  const position = takePosition(state, owner, entryTtlMs, entry, nowUs)
  const [holder = ''] = byEnd(state)[0] ?? []
  const blockedUntilUs = blocker?.owner === owner ? undefined : blocker?.entry.aliveUntilUs
  return { kind: 'busy', ttlMs: ttlMsOf(state, nowUs, blockedUntilUs), serverUs: nowUs, holder, position }
}

/** Lowers the permits of a hold; at 0 gives up the hold and the queue entry. Lets in those that fit then. */
export function release(state: SharedState, request: ReleaseRequest, context: StepContext): ReleaseReply {
  const { owner, count: left } = request
  const hold = state.holds.get(owner)
  if (left === 0) {
    state.holds.delete(owner)
    state.queue.delete(owner)
    leaveTombstone(state, request, context.nowUs)
  } else if (hold) {
    hold.permits = Math.min(hold.permits, left)
  }
  letIn(state, context)
  return hold ? released : notHeld
}

/** Evicts the owner and lets in those that fit then. */
export function force(state: SharedState, owner: string, context: StepContext): ReleaseReply {
  if (!state.holds.delete(owner)) return notHeld
  context.notify({ kind: 'revoked', owner })
  letIn(state, context)
  return released
}

/** Sets how many permits there are in all, if the caller knows the last resize, and lets in those that fit then. */
export function resize(state: SharedState, request: ResizeRequest, context: StepContext): ResizeReply {
  const { size, keepMs, version: seen, id } = request
  const { size: lastSize = 0, version = 0, id: lastId } = state.resized ?? {}
  if (lastId === id) return { kind: 'resized', version, size: lastSize }
  if (version !== seen) return { kind: 'superseded', version, size: lastSize }
  state.resized = { size, version: version + 1, id, untilUs: context.nowUs + keepMs * 1_000 }
  letIn(state, context)
  return { kind: 'resized', version: version + 1, size }
}

/** Extends the lease of a holder. */
export function renew({ holds }: SharedState, owner: string, leaseMs: number, nowUs: number): RenewalReply {
  const hold = holds.get(owner)
  if (!hold) return 'not-held'
  extend(hold, leaseMs, nowUs)
  return 'renewed'
}

/** Keeps a queue entry alive. */
export function refresh(
  state: SharedState,
  owner: string,
  entryTtlMs: number,
  nowUs: number,
): QueueEntryReply {
  const isKept = keepEntry(state, owner, entryTtlMs, nowUs)
  const ttlMs = lookAhead(state, owner, nowUs)
  if (!isKept) return { state: state.holds.has(owner) ? 'granted' : 'missing', ttlMs }
  if (ttlMs < 0) return { state: 'waiting', ttlMs }
  const [holder = ''] = byEnd(state)[0] ?? []
  return { state: 'waiting', ttlMs, holder, position: positionOf(state, owner) }
}

/** Who holds and who waits. Changes nothing. */
export function inspect(state: SharedState, limit: number, nowUs: number): SharedInspection {
  const holders = byEnd(state).slice(0, limit)
  return {
    kind: 'shared',
    size: state.resized?.size ?? 0,
    version: state.resized?.version ?? 0,
    used: usedOf(state),
    holderCount: state.holds.size,
    holders: holders.map(([owner, { permits, untilUs }]) => ({
      owner,
      permits,
      ttlMs: msUntil(untilUs, nowUs),
    })),
    token: state.fence?.token ?? 0,
    waiterCount: state.queue.size,
    waiters: listed(state, limit, nowUs).map(({ owner, entry, aliveMs }) => ({
      owner,
      permits: entry.want,
      aliveMs,
    })),
  }
}

/** An owner whose request this step is. */
interface Requester {
  readonly owner: string
  readonly want: number
  readonly size: number
  readonly leaseMs: number
}

/**
 * Lets all waiters in that fit, in order, up to the first that does not. One whose client is not subscribed, or that wants more
 * than there is in all, is passed over. One that takes all that is left of the size that it knows is the last. A requester is judged at its position, or without a queue entry after all of
 * them. All that enter share a token.
 *
 * @returns the waiter that blocks those behind it
 */
function letIn(
  state: SharedState,
  context: StepContext,
  requester?: Requester,
): OffersEnd<SharedWaiting> | undefined {
  const { nowUs } = context
  let used = usedOf(state)
  let token = 0

  const enter = (owner: string, permits: number, leaseMs: number): void => {
    if (token === 0) token = nextToken(state, leaseMs, context)
    keepFence(state, leaseMs, nowUs)
    used += permits
    state.holds.set(owner, { permits, token, untilUs: nowUs + leaseMs * 1_000 })
  }
  const offer = (owner: string, { want, size, grantLeaseMs, proof }: SharedWaiting): Outcome => {
    const isRequester = owner === requester?.owner
    const room = state.resized?.size ?? size
    if (want > room || (!isRequester && !context.isSubscribed(owner))) return 'passed over'
    if (used + want > room) return 'blocks'
    const leaseMs = isRequester ? requester.leaseMs : grantLeaseMs
    enter(owner, want, leaseMs)
    if (!isRequester) context.notify({ kind: 'granted', owner, proof, token, leaseMs, serverUs: nowUs })
    return used >= room ? 'filled' : 'entered'
  }

  // While it is paused, nobody is looked at, so that many who wait cost nothing.
  if (state.resized?.size === 0) return undefined
  const end = handOn(state, nowUs, offer)
  const isLast = requester && !state.holds.has(requester.owner) && !state.queue.has(requester.owner)
  if (isLast && !end) {
    const { owner, want, size, leaseMs } = requester
    if (used + want <= (state.resized?.size ?? size)) enter(owner, want, leaseMs)
  }
  return end?.outcome === 'blocks' ? end : undefined
}

/** After how long a blocked owner may fit although nobody notifies it. */
function ttlMsOf(state: SharedState, nowUs: number, blockedUntilUs?: number): number {
  const [, firstHold] = byEnd(state)[0] ?? []
  const untilFreeMs = firstHold ? msUntil(firstHold.untilUs, nowUs) : idleMs
  const ends = [blockedUntilUs, state.resized?.untilUs].filter((untilUs) => untilUs !== undefined)
  return Math.min(untilFreeMs, ...ends.map((untilUs) => msUntil(untilUs, nowUs)))
}

/** The same for an owner that refreshes its entry. -2: it should request now, because the first waiter that counts fits or is stale. */
function lookAhead(state: SharedState, owner: string, nowUs: number): number {
  const used = usedOf(state)
  for (const [waiter, { want, size, aliveUntilUs }] of state.resized?.size === 0 ? [] : state.queue) {
    const room = state.resized?.size ?? size
    if (aliveUntilUs <= nowUs || used + want <= room) return -2
    if (want <= room) return ttlMsOf(state, nowUs, waiter === owner ? undefined : aliveUntilUs)
  }
  return ttlMsOf(state, nowUs)
}

function extend(hold: SharedHold, leaseMs: number, nowUs: number): void {
  hold.untilUs = Math.max(hold.untilUs, nowUs + leaseMs * 1_000)
}
