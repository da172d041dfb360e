import type { Problem } from './explore/problem.js'

/** What a store keeps of one lock, read/write lock or semaphore. Times are milliseconds from now. */
export interface Contents {
  /** By owner. */
  readonly holds: readonly HoldContents[]
  /** Holds that have ended and that no step has dropped yet. */
  readonly ended: readonly HoldContents[]
  /** In its order; also entries that are past their time. */
  readonly queue: readonly EntryContents[]
  /** When the queue as a whole is dropped; 0 when there is none. */
  readonly queueMs: number
  /** By owner; none that are past their time. */
  readonly tombstones: readonly { readonly owner: string; readonly leftMs: number }[]
  /** The last fencing token; 0 when none is remembered. */
  readonly token: number
  readonly fenceMs: number
  /** What the object was resized to. */
  readonly resized: {
    readonly size: number
    readonly version: number
    readonly id: string
    readonly leftMs: number
  } | null
  /** Owners whose clients no notification reaches. */
  readonly unsubscribed: readonly string[]
  /** What the store itself shows to be wrong: counters and sums that do not fit. */
  readonly problems: readonly Problem[]
}

export interface HoldContents {
  readonly owner: string
  /** The hold count, or the permits. */
  readonly count: number
  /** `null` where the last token of the object is that of the hold. */
  readonly token: number | null
  readonly leftMs: number
}

export interface EntryContents {
  readonly owner: string
  /** The permits that it wants, and how many there are as far as its client knows; 1 of 1 of a lock. */
  readonly want: number
  readonly size: number
  readonly grantLeaseMs: number
  readonly leftMs: number
  /** Whether it says where its client can be notified; `true` where a store keeps no such thing. */
  readonly saysWhere: boolean
  /** Whether it has the proof of its last request. */
  readonly hasProof: boolean
}

export const nothing: Contents = {
  holds: [],
  ended: [],
  queue: [],
  queueMs: 0,
  tombstones: [],
  token: 0,
  fenceMs: 0,
  resized: null,
  unsubscribed: [],
  problems: [],
}

/** In the order in which contents list them. */
export const byOwner = <T extends { readonly owner: string }>(list: readonly T[]): readonly T[] =>
  [...list].sort((a, b) => (a.owner < b.owner ? -1 : 1))

/** Permits that are counted are those that are held; also of holds that have ended, as long as they are there. */
export function sumProblem(used: number, { holds, ended }: Pick<Contents, 'holds' | 'ended'>): Problem[] {
  const sum = [...holds, ...ended].reduce((permits, { count }) => permits + count, 0)
  return used === sum ? [] : [{ promise: 'sum', detail: `${used} permits are counted, ${sum} are held` }]
}
