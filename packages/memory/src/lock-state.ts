/** One owner's possession of the lock. */
export interface Hold {
  readonly owner: string
  count: number
  untilUs: number
}

/** An owner that waits. */
export interface Waiting {
  aliveUntilUs: number
  /** The lease of the hold that is granted to it. */
  grantLeaseMs: number
}

/** What the store keeps of one lock. Instants are microseconds of the store's clock. */
export interface LockState {
  hold: Hold | null
  /** By owner, in the order of arrival. An entry past its time stays until a grant passes it, or its owner requests again. */
  readonly queue: Map<string, Waiting>
  /** By then all entries are past their time, and the queue is dropped as a whole. */
  queueUntilUs: number
  /** Abandoned owners, and until when their late requests are refused. */
  readonly tombstones: Map<string, number>
  /** The last fencing token. It outlives the hold that it was given to. */
  fence: { token: number; untilUs: number } | null
}

export const freeLock = (): LockState => ({
  hold: null,
  queue: new Map(),
  queueUntilUs: 0,
  tombstones: new Map(),
  fence: null,
})

/** Ends what is due. Precedes every step. Tombstones are left: see `dropTombstones`. */
export function settle(state: LockState, nowUs: number): void {
  if (state.hold && state.hold.untilUs <= nowUs) state.hold = null
  if (state.queueUntilUs <= nowUs) state.queue.clear()
  if (state.queue.size === 0) state.queueUntilUs = 0
  if (state.fence && state.fence.untilUs <= nowUs) state.fence = null
}

/** Forgets the tombstones that are past their time, among the oldest `limit` of them. */
export function dropTombstones({ tombstones }: LockState, nowUs: number, limit = Infinity): void {
  let seen = 0
  for (const [owner, untilUs] of tombstones) {
    if (seen++ === limit) return
    if (untilUs <= nowUs) tombstones.delete(owner)
  }
}

/** Whether nothing would be lost by forgetting this lock. */
export const isEmpty = ({ hold, queue, tombstones, fence }: LockState): boolean =>
  hold === null && queue.size === 0 && tombstones.size === 0 && fence === null

/** Milliseconds from now until then; rounded up, so that the instant has come when they have passed. */
export const msUntil = (untilUs: number, nowUs: number): number => Math.ceil((untilUs - nowUs) / 1_000)

/** For how long the lock is held; -2 when it is free. */
export const ttlMsOf = ({ hold }: LockState, nowUs: number): number =>
  hold ? msUntil(hold.untilUs, nowUs) : -2
