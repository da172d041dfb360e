import {
  keptBy,
  RefusedError,
  type AcquireReply,
  type AcquireRequest,
  type Inspection,
  type QueueEntryReply,
  type ReleaseReply,
  type ReleaseRequest,
  type RenewalReply,
} from '@holdfast/core/engine'
import { handOn, isTokenInBounds, keepFence, nextToken, type Outcome, type StepContext } from './hand-off.js'
import { ttlMsOf, type Hold, type LockState } from './lock-state.js'
import {
  isAbandoned,
  keepEntry,
  leaveTombstone,
  listed,
  positionOf,
  takePosition,
  type Waiting,
} from './waiting-state.js'

// The steps of one lock. Each changes the given state, which was settled before, and is atomic by being synchronous. The
// Lua scripts do the same on Redis; a random comparison holds both to each other.

const released: ReleaseReply = { kind: 'released' }
const notHeld: ReleaseReply = { kind: 'not-held' }

/** Lets the owner in, sets the count of one that is in, or queues it. */
export function acquire(state: LockState, request: AcquireRequest, context: StepContext): AcquireReply {
  const { owner, count, leaseMs, entryTtlMs, grantLeaseMs, proof, heir } = request
  const { nowUs } = context
  if (state.hold?.owner === owner) {
    if (count > 1) state.hold.count = count
    extend(state.hold, leaseMs, nowUs)
    return { kind: 'held', token: tokenOfHold(state, request, context) }
  }
  if (count > 1) return { kind: 'lost' }
  if (heir !== undefined && state.hold?.owner !== heir) return busy(state, 0, nowUs)
  if (isAbandoned(state, owner, nowUs)) return { kind: 'abandoned' }
  if (heir !== undefined) {
    askAgain(state, context)
    return { kind: 'held', token: admit(state, owner, leaseMs, context) }
  }
  if (!state.hold) grantToFirst(state, context, owner)
  if (state.hold)
    return busy(state, takePosition(state, owner, entryTtlMs, { grantLeaseMs, proof }, nowUs), nowUs)
  state.queue.delete(owner)
  return { kind: 'held', token: admit(state, owner, leaseMs, context) }
}

const busy = (state: LockState, position: number, nowUs: number): AcquireReply => ({
  kind: 'busy',
  ttlMs: ttlMsOf(state, nowUs),
  serverUs: nowUs,
  holder: state.hold?.owner ?? '',
  position,
})

/** Sets the hold count; at 0 gives up the hold and the queue entry, and hands a free lock on. */
export function release(state: LockState, request: ReleaseRequest, context: StepContext): ReleaseReply {
  const { nowUs } = context
  const { owner, count, keepMs, heir } = request
  const { hold } = state
  const isMine = hold?.owner === owner
  if (count > 0) {
    if (isMine) hold.count = count
    return isMine ? released : notHeld
  }
  if (isMine) state.hold = null
  state.queue.delete(owner)
  if (isMine && keepMs !== undefined) {
    state.hold = { owner: heir ?? keptBy(owner), count: 1, untilUs: nowUs + keepMs * 1_000 }
    askAgain(state, context)
  }
  leaveTombstone(state, request, nowUs)
  if (!state.hold) grantToFirst(state, context)
  const isDone = heir !== undefined && state.hold?.owner === heir
  return isMine || isDone ? released : notHeld
}

/** Has the first waiter ask until when a lock is held, since it knows of a hold that is over. */
function askAgain({ queue }: LockState, context: StepContext): void {
  const [first] = queue
  if (first && first[1].aliveUntilUs > context.nowUs) context.notify({ kind: 'revoked', owner: first[0] })
}

/** Evicts the owner and hands the lock on. */
export function force(state: LockState, owner: string, context: StepContext): ReleaseReply {
  if (state.hold?.owner !== owner) return notHeld
  state.hold = null
  context.notify({ kind: 'revoked', owner })
  grantToFirst(state, context)
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
  const holder = state.hold?.owner
  if (!keepEntry(state, owner, entryTtlMs, nowUs))
    return { state: holder === owner ? 'granted' : 'missing', ttlMs }
  if (holder === undefined) return { state: 'waiting', ttlMs }
  return { state: 'waiting', ttlMs, holder, position: positionOf(state, owner) }
}

/** Who holds and who waits. Changes nothing. */
export function inspect(state: LockState, limit: number, nowUs: number): Inspection {
  return {
    kind: 'lock',
    owner: state.hold?.owner ?? '',
    count: state.hold?.count ?? 0,
    ttlMs: ttlMsOf(state, nowUs),
    token: state.fence?.token ?? 0,
    waiterCount: state.queue.size,
    waiters: listed(state, limit, nowUs).map(({ owner, aliveMs }) => ({ owner, aliveMs })),
  }
}

/** Makes the owner the holder, for `leaseMs`. Returns its token. */
export function admit(state: LockState, owner: string, leaseMs: number, context: StepContext): number {
  state.hold = { owner, count: 1, untilUs: context.nowUs + leaseMs * 1_000 }
  return nextToken(state, leaseMs, context)
}

/**
 * Hands a free lock to the first live waiter ahead of `before`, or to the first of all. One whose client is not subscribed
 * is passed over.
 */
function grantToFirst(state: LockState, context: StepContext, before?: string): void {
  const grant = (owner: string, { grantLeaseMs: leaseMs, proof }: Waiting): Outcome => {
    if (!context.isSubscribed(owner)) return 'passed over'
    const token = admit(state, owner, leaseMs, context)
    context.notify({ kind: 'granted', owner, proof, token, leaseMs, serverUs: context.nowUs })
    return 'filled'
  }
  handOn(state, context.nowUs, grant, before)
}

/** A token that later ones are to exceed. */
export interface TokenRaise {
  readonly token: number
  readonly keepMs: number
  /** Names the engine if the token is refused. */
  readonly engine: string
}

/**
 * Has later tokens be larger than this one, for at least `keepMs`.
 *
 * @throws `RefusedError` for one that is more than a day ahead of the clock
 */
export function raiseToken(state: LockState, raise: TokenRaise, nowUs: number): void {
  const { token, keepMs, engine } = raise
  if (!isTokenInBounds(token, nowUs)) {
    throw new RefusedError(`the fencing token ${token} is more than a day ahead of the store's clock`, {
      engine,
    })
  }
  const { fence } = state
  state.fence = {
    token: Math.max(fence?.token ?? 0, token),
    untilUs: Math.max(fence?.untilUs ?? 0, nowUs + keepMs * 1_000),
  }
}

function extend(hold: Hold, leaseMs: number, nowUs: number): void {
  hold.untilUs = Math.max(hold.untilUs, nowUs + leaseMs * 1_000)
}

/** The token of a hold that is there already. A repeated first request lost its reply, and maybe the fence since. */
function tokenOfHold(state: LockState, { count, leaseMs }: AcquireRequest, context: StepContext): number {
  if (count > 1) return state.fence?.token ?? 0
  if (!state.fence) return nextToken(state, leaseMs, context)
  keepFence(state, leaseMs, context.nowUs)
  return state.fence.token
}
