import type { LockState } from './lock-state.js'

/** The shortest time for which the last token is remembered after a grant. */
const fenceMs = 60_000

/** Notifies an owner's client of what another owner's step did for it, or to it. */
export type Notice =
  | {
      readonly kind: 'granted'
      readonly owner: string
      readonly token: number
      readonly leaseMs: number
      readonly serverUs: number
    }
  | { readonly kind: 'revoked'; readonly owner: string }

/** What a step needs besides the lock. */
export interface StepContext {
  /** The store's clock: an integer of microseconds, the same for all of one step. */
  readonly nowUs: number
  /** The largest token that the client of this step has seen. */
  readonly tokenFloor: number
  /** Whether a notification to this owner would arrive. */
  isSubscribed(owner: string): boolean
  notify(notice: Notice): void
}

/** Makes the owner the holder, for `leaseMs`. Returns its token. */
export function admit(state: LockState, owner: string, leaseMs: number, context: StepContext): number {
  state.hold = { owner, count: 1, untilUs: context.nowUs + leaseMs * 1_000 }
  return nextToken(state, leaseMs, context)
}

/** A token larger than the last one, than the clock, and than any that the client of this step has seen. */
export function nextToken(state: LockState, leaseMs: number, { nowUs, tokenFloor }: StepContext): number {
  const token = Math.max(nowUs, tokenFloor + 1, (state.fence?.token ?? 0) + 1)
  state.fence = { token, untilUs: nowUs + fenceMsFor(leaseMs) * 1_000 }
  return token
}

/** How long a token is remembered after a grant with this lease. */
export const fenceMsFor = (leaseMs: number): number => Math.max(fenceMs, 2 * leaseMs)

/**
 * Hands a free lock to the first live waiter ahead of `before`, or to the first of all. An entry past its time is dropped;
 * one whose client is not subscribed is passed over and keeps its position.
 */
export function handOn(state: LockState, context: StepContext, before?: string): void {
  const { nowUs } = context
  for (const [owner, { aliveUntilUs, grantLeaseMs }] of state.queue) {
    if (owner === before) return
    const isAlive = aliveUntilUs > nowUs
    if (isAlive && !context.isSubscribed(owner)) continue
    state.queue.delete(owner)
    if (!isAlive) continue
    const token = admit(state, owner, grantLeaseMs, context)
    context.notify({ kind: 'granted', owner, token, leaseMs: grantLeaseMs, serverUs: nowUs })
    return
  }
}
