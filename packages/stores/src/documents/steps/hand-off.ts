import type { Waiting, WaitingState } from './waiting-state.js'

/** The shortest time for which the last token is remembered after a grant. */
const fenceMs = 60_000

/** Notifies an owner's client of what another owner's step did for it, or to it. */
export type Notice =
  | {
      readonly kind: 'granted'
      readonly owner: string
      readonly proof: string
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

/** How far ahead of the store's clock a token may be, microseconds: a day. */
const tokenLeadUs = 86_400_000_000

/** Whether a token may be the last one now. */
export const isTokenInBounds = (token: number, nowUs: number): boolean => token - nowUs < tokenLeadUs

/** A token larger than the last one, than the clock, and than any that the client of this step has seen; nothing out of bounds counts. */
export function nextToken(state: WaitingState, leaseMs: number, { nowUs, tokenFloor }: StepContext): number {
  const floor = isTokenInBounds(tokenFloor, nowUs) ? tokenFloor : 0
  const token = Math.max(nowUs, floor + 1, (state.fence?.token ?? 0) + 1)
  state.fence = { token, untilUs: nowUs + fenceMsFor(leaseMs) * 1_000 }
  return token
}

/** Has the last token remembered for as long as a hold with this lease needs it. */
export function keepFence({ fence }: WaitingState, leaseMs: number, nowUs: number): void {
  if (fence) fence.untilUs = Math.max(fence.untilUs, nowUs + fenceMsFor(leaseMs) * 1_000)
}

/** How long a token is remembered after a grant with this lease. */
const fenceMsFor = (leaseMs: number): number => Math.max(fenceMs, 2 * leaseMs)

/**
 * What a waiter makes of an offer.
 *
 * - `passed over`: it keeps its position and stops nobody
 * - `entered`: the next one gets an offer too
 * - `filled`: it took all that is left of the size that it knows; nobody else gets an offer
 * - `blocks`: it keeps its position, and those behind it get no offer
 */
export type Outcome = 'passed over' | 'entered' | 'filled' | 'blocks'

export interface OffersEnd<Entry extends Waiting> {
  readonly owner: string
  readonly entry: Entry
  readonly outcome: 'filled' | 'blocks'
}

/**
 * Makes an offer to all waiters ahead of `before`, or to all, in order, until one takes all that is left or blocks the others. An
 * entry past its time is dropped.
 *
 * @returns the waiter that ended the offers, and how, if one did
 */
export function handOn<Entry extends Waiting>(
  state: WaitingState<Entry>,
  nowUs: number,
  offer: (owner: string, entry: Entry) => Outcome,
  before?: string,
): OffersEnd<Entry> | undefined {
  for (const [owner, entry] of state.queue) {
    if (owner === before) return undefined
    const { aliveUntilUs } = entry
    const isAlive = aliveUntilUs > nowUs
    const outcome = isAlive ? offer(owner, entry) : 'stale'
    if (outcome === 'blocks') return { owner, entry, outcome }
    if (outcome !== 'passed over') state.queue.delete(owner)
    if (outcome === 'filled') return { owner, entry, outcome }
  }
  return undefined
}
