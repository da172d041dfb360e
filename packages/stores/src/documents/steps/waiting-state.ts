/** An owner that waits. */
export interface Waiting {
  aliveUntilUs: number
  /** The lease of the hold that is granted to it. */
  grantLeaseMs: number
  /** What the notice of its grant repeats. */
  proof: string
}

/** What the store keeps of those that wait for an object. Instants are microseconds of the store's clock. */
export interface WaitingState<Entry extends Waiting = Waiting> {
  /** By owner, in the order of arrival. An entry past its time stays until a grant passes it, or its owner requests again. */
  readonly queue: Map<string, Entry>
  /** By then all entries are past their time, and the queue is dropped as a whole. */
  queueUntilUs: number
  /** Abandoned owners, and until when their late requests are refused. */
  readonly tombstones: Map<string, number>
  /** The last fencing token. It outlives the hold that it was given to. */
  fence: { token: number; untilUs: number } | null
}

/** How many old tombstones a new one looks at, so that they cannot pile up and none costs more than that. */
const tombstonesPerSweep = 8

export const nobodyWaits = <Entry extends Waiting>(): WaitingState<Entry> => ({
  queue: new Map(),
  queueUntilUs: 0,
  tombstones: new Map(),
  fence: null,
})

/** Ends what is due. Tombstones are left: see `dropTombstones`. */
export function settleWaiting(state: WaitingState, nowUs: number): void {
  if (state.queueUntilUs <= nowUs) state.queue.clear()
  if (state.queue.size === 0) state.queueUntilUs = 0
  if (state.fence && state.fence.untilUs <= nowUs) state.fence = null
}

/** Whether nothing would be lost by forgetting this. */
export const isWaitingEmpty = ({ queue, tombstones, fence }: WaitingState): boolean =>
  queue.size === 0 && tombstones.size === 0 && fence === null

/** Whether requests of the owner are refused. */
export const isAbandoned = ({ tombstones }: WaitingState, owner: string, nowUs: number): boolean =>
  (tombstones.get(owner) ?? 0) > nowUs

/** Has late requests of the owner refused. A tombstone outlives the releases without one that follow it. */
export function leaveTombstone(
  state: WaitingState,
  { owner, tombstoneMs }: { readonly owner: string; readonly tombstoneMs: number },
  nowUs: number,
): void {
  if (tombstoneMs === 0) return
  dropTombstones(state, nowUs, tombstonesPerSweep)
  state.tombstones.delete(owner)
  state.tombstones.set(owner, nowUs + tombstoneMs * 1_000)
}

/** Forgets the tombstones that are past their time, among the oldest `limit` of them. */
export function dropTombstones({ tombstones }: WaitingState, nowUs: number, limit = Infinity): void {
  let seen = 0
  for (const [owner, untilUs] of tombstones) {
    if (seen++ === limit) return
    if (untilUs <= nowUs) tombstones.delete(owner)
  }
}

/** Queues the owner for `entryTtlMs`, or 0: not at all. A repeated request keeps its position. Returns that, or 0. */
export function takePosition<Entry extends Waiting>(
  state: WaitingState<Entry>,
  owner: string,
  entryTtlMs: number,
  entry: Omit<Entry, 'aliveUntilUs'>,
  nowUs: number,
): number {
  if (entryTtlMs === 0) return 0
  keepQueue(state, entryTtlMs, nowUs)
  const isNew = !state.queue.has(owner)
  state.queue.set(owner, { ...entry, aliveUntilUs: nowUs + entryTtlMs * 1_000 } as Entry)
  return isNew ? state.queue.size : [...state.queue.keys()].indexOf(owner) + 1
}

/** Keeps a live entry alive. Returns whether there is one. */
export function keepEntry(state: WaitingState, owner: string, entryTtlMs: number, nowUs: number): boolean {
  const entry = state.queue.get(owner)
  if (!entry || entry.aliveUntilUs <= nowUs) return false
  entry.aliveUntilUs = nowUs + entryTtlMs * 1_000
  keepQueue(state, entryTtlMs, nowUs)
  return true
}

/** How far a refresh searches the queue. */
const mostSearched = 100

/** The position of an owner; `undefined`: not queued, or not among the first ones. */
export function positionOf({ queue }: WaitingState, owner: string): number | undefined {
  let position = 0
  for (const waiter of queue.keys()) {
    position++
    if (waiter === owner) return position
    if (position === mostSearched) return undefined
  }
  return undefined
}

/** Has the queue outlive an entry. By more than that, so that few entries have to see to it. */
function keepQueue(state: WaitingState, entryTtlMs: number, nowUs: number): void {
  const leftMs = state.queue.size > 0 ? (state.queueUntilUs - nowUs) / 1_000 : 0
  if (leftMs < 1.25 * entryTtlMs) state.queueUntilUs = nowUs + 2 * entryTtlMs * 1_000
}

/** The waiters that an inspection lists: the first ones, with the time for which each stays unless refreshed. */
export const listed = <Entry extends Waiting>(
  { queue }: WaitingState<Entry>,
  limit: number,
  nowUs: number,
): { readonly owner: string; readonly entry: Entry; readonly aliveMs: number }[] =>
  [...queue].slice(0, limit).map(([owner, entry]) => ({
    owner,
    entry,
    aliveMs: Math.max(0, msUntil(entry.aliveUntilUs, nowUs)),
  }))

/** Milliseconds from now until then; rounded up, so that the instant has come when they have passed. */
export const msUntil = (untilUs: number, nowUs: number): number => Math.ceil((untilUs - nowUs) / 1_000)
