import { ownerOf } from '../step.js'
import type { Problem } from './problem.js'
import { nameOf, type Reply, type StepKind, type StoreState } from './state.js'

/** One step on the object: by which owner, which one, and in which state of the store. */
export interface Job {
  readonly store: StoreState
  readonly owner: number
  readonly step: StepKind | 'refresh' | 'force' | 'renew' | 'sweep' | Resizing
  /** Per owner, whether its client is subscribed. */
  readonly subscribed: readonly boolean[]
}

/** What another client has the store do: the owner of the job means nothing. */
export type Resizing = `resize to ${number}`

/** A notification that a step sent, and that its receiver believes. */
export interface SentNotice {
  readonly kind: 'granted' | 'revoked'
  readonly to: number
}

export interface Outcome {
  readonly store: StoreState
  readonly reply: Reply
  readonly notices: readonly SentNotice[]
  readonly problems: readonly Problem[]
}

export const keyOfJob = ({ store, owner, step, subscribed }: Job): string =>
  `${store.key}!${owner}${step}${subscribed.map(Number).join('')}`

const hourMs = 3_600_000

/** So long that the wall clock never matters: time passes only by moves of the model. */
export const times = {
  leaseMs: 5 * hourMs,
  /** Restored holds have more left than any command asks for, so that a TTL that shrinks shows. */
  restoredLeaseMs: 10 * hourMs,
  /** Owners ask for different times, the first for the longest. */
  entryTtlMs: (owner: number): number => (9 - owner) * hourMs,
  tombstoneMs: 12 * hourMs,
  /** What restored entries and tombstones have left beyond what was asked for, and how long others are past their time. */
  slackMs: hourMs / 2,
} as const

/** Where the clocks of stores begin that have none of their own, microseconds. */
export const clockStartUs = Math.floor(Date.now() / hourMs) * hourMs * 1_000

/** The token given last: larger than the store's clock in microseconds, so that only "last + 1" makes it grow. */
export const lastToken = clockStartUs + 12 * hourMs * 1_000

/** How long the queue entry or the tombstone of an owner has left when a job starts; 0 for none, or a stale one. */
export function restoredMs({ entries }: StoreState, owner: number): number {
  if (entries[owner] === 'live') return times.slackMs + times.entryTtlMs(owner)
  return entries[owner] === 'tombstone' ? times.slackMs + times.tombstoneMs : 0
}

export const ownerName = (owner: number): string => ownerOf(nameOf(owner))
export const ownerNumber = (name: string): number => name.charCodeAt(0) - ownerName(0).charCodeAt(0)
