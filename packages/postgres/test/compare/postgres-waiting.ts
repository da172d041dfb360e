import type { Observation, TokenRanks } from '../../../memory/test/compare/observation.js'

export type State = Pick<Observation, 'hold' | 'queue' | 'tombstones' | 'token' | 'ttlMs'>

/** What objects of all kinds have, as columns of one row; times are milliseconds from now. */
export interface WaitingColumns {
  readonly token: string | null | undefined
  readonly fenceMs: string | null | undefined
  readonly queueMs: string | null | undefined
  readonly waiting: string | null | undefined
  /** A list of an owner, the time for which it is alive, and what else is to be shown of each. */
  readonly places: string | null | undefined
  readonly tombstones: string | null | undefined
}

export const listIn = (text: string | null | undefined): unknown[][] =>
  JSON.parse(text ?? '[]') as unknown[][]

export function readWaiting(
  { token, fenceMs, queueMs, waiting, places, tombstones }: WaitingColumns,
  tokens: TokenRanks,
): Omit<State, 'hold'> {
  const ttlMs: Record<string, number> = {}
  const hasQueue = Number(queueMs) > 0 && Number(waiting) > 0
  if (hasQueue) ttlMs['the queue'] = Number(queueMs)
  const entries = hasQueue ? listIn(places) : []
  if (hasQueue && entries.length !== Number(waiting))
    throw new Error(`waiting is ${waiting}, not ${entries.length}`)
  for (const [waiter, aliveMs] of entries) {
    if (Number(aliveMs) > 0) ttlMs[`the queue entry of ${String(waiter)}`] = Number(aliveMs)
  }
  const live = listIn(tombstones).filter(([, ms]) => Number(ms) > 0)
  for (const [dead, ms] of live) ttlMs[`the tombstone of ${String(dead)}`] = Number(ms)
  const hasToken = Number(fenceMs) > 0
  if (hasToken) ttlMs['the fence'] = Number(fenceMs)
  return {
    queue: entries.map(([waiter, , ...rest]) => [waiter, ...rest].join(' ')),
    tombstones: live.map(([dead]) => String(dead)),
    token: hasToken ? tokens.rankOf(Number(token)) : 0,
    ttlMs,
  }
}
