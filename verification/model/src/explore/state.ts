/** Owners are numbers in the model and letters in what it prints. */
export const nameOf = (owner: number): string => 'ABCDEFGH'.charAt(owner)

/** A queue entry (`live`, `stale`), or the tombstone of an abandoned owner. What has expired and changes nothing is `-`. */
export type Entry = 'live' | 'stale' | 'tombstone' | '-'

/** What the store keeps of the one object, without the numbers that only grow; of times only whether they have passed. */
export interface StoreState {
  readonly key: string
  /** Per owner its hold count or its permits, 0 for no hold. */
  readonly counts: readonly number[]
  /** Owners in the order of the queue. */
  readonly queue: readonly number[]
  readonly entries: readonly Entry[]
  readonly hasFence: boolean
  /** What the object was resized to; `null` when it never was, or that is over. */
  readonly size: number | null
}

export function storeState(
  counts: readonly number[],
  queue: readonly number[],
  entries: readonly Entry[],
  hasFence: boolean,
  size: number | null = null,
): StoreState {
  const key = `${counts.join('')}|${queue.join('')}|${entries.join(',')}|${hasFence ? 'f' : ''}${size ?? ''}`
  return { key, counts, queue, entries, hasFence, size }
}

/**
 * What an owner has the store do. `request` queues, `try` does not; `enter` and `leave` set the count of a lock to 2 and 1;
 * `lower` gives back all permits but as many as it says; `release` gives up hold and queue entry; `abandon` does too, and leaves a tombstone;
 * `hand over` leaves the hold to the ticket, and `take over` enters in its place.
 */
export type StepKind =
  'request' | 'try' | 'enter' | 'leave' | Lowering | 'release' | 'abandon' | HandingOver | 'take over'

export type Lowering = `lower to ${number}`

/** One in doubt leaves a tombstone, too. */
export type HandingOver = 'hand over' | 'hand over in doubt'

export const isHandingOver = (step: string): step is HandingOver => step.startsWith('hand over')

/** Gives up hold and queue entry. */
export const isLeaving = (step: string): boolean =>
  step === 'release' || step === 'abandon' || isHandingOver(step)

export type Reply =
  | 'held'
  | 'granted'
  | 'queued'
  | 'unqueued'
  | 'lost'
  | 'abandoned'
  | 'released'
  | 'not-held'
  | 'no-reply'
  | 'waiting'
  /** Still waiting, and one of the waiters should request now. */
  | 'due'
  | 'missing'
  | 'renewed'
  | 'done'
  | 'resized'

/** The one command of an owner that it waits for. */
export interface Command {
  readonly step: StepKind
  /** `null` until it runs, then the reply that is on its way back. */
  readonly reply: Reply | null
  /** Its owner knows that it may have run before: it failed, or its connection broke. */
  readonly isRepeated: boolean
  /** Its reply says that the owner holds, and that hold has ended since. */
  readonly isLate: boolean
}

/** A notification: `late` is a grant whose hold has ended since. */
export type Notice = 'granted' | 'late' | 'revoked'

export type Phase =
  | 'idle'
  | 'requesting'
  | 'waiting'
  | 'pausing'
  | 'holding'
  | 'releasing'
  | 'over'
  | 'crashed'
  /** It is no owner but a ticket. */
  | 'unwritten'
  | 'written'

export interface Owner {
  readonly phase: Phase
  /** The permits that it requests; 1 of a lock. */
  readonly want: number
  /** How often it believes it has entered, or how many permits; 0 when it does not believe it holds. */
  readonly count: number
  readonly hasNested: boolean
  /** It takes over what another owner hands over, and requests nothing. */
  readonly isTaker: boolean
  readonly inDoubt: boolean
  readonly isQueued: boolean
  readonly hasReply: boolean
  readonly wasRevoked: boolean
  /** A grant that it was notified of while a request was in flight. */
  readonly notice: 'granted' | 'late' | null
  readonly command: Command | null
  /** Another release is due when the reply to this one arrives. */
  readonly owesRelease: boolean
  /** Sent before the command on the same connection, no longer waited for: they run first, in this order. */
  readonly wire: readonly StepKind[]
  /** Left behind by a broken connection: they may run at any later time, or never. */
  readonly strays: readonly StepKind[]
  readonly inbox: readonly Notice[]
  readonly isSubscribed: boolean
  /** It was evicted and does not know yet: outside the promise. */
  readonly isEvicted: boolean
  /** A stray ran after a later command of the hold: the store has the count that the stray wanted. */
  readonly isOvertaken: boolean
}

export interface State {
  readonly store: StoreState
  readonly isLock: boolean
  readonly hasUpkeep: boolean
  readonly mayLoseData: boolean
  /** How many permits there are, as the clients know it; 1 of a lock. */
  readonly size: number
  readonly owners: readonly Owner[]
  /** Waiters in the order of arrival, kept by the model itself and not read from the store. */
  readonly arrivals: readonly number[]
  readonly faultsLeft: number
  readonly forcesLeft: number
  /** The sizes that another client sets yet, in this order. */
  readonly resizesLeft: readonly number[]
}

const fresh: Owner = {
  phase: 'idle',
  want: 1,
  count: 0,
  hasNested: false,
  isTaker: false,
  inDoubt: false,
  isQueued: false,
  hasReply: false,
  wasRevoked: false,
  notice: null,
  command: null,
  owesRelease: false,
  wire: [],
  strays: [],
  inbox: [],
  isSubscribed: true,
  isEvicted: false,
  isOvertaken: false,
}

export interface Bounds {
  readonly owners: number
  /** How many losses, delays, repeats, crashes, lost subscriptions and missed deadlines one run may have. */
  readonly faults: number
  /** How often another client forces the lock open. */
  readonly forces?: number
  /** How many owners, from the first on, may enter twice. Default: all. */
  readonly nesting?: number
  /** Whether renewals and sweeps run at any time. Holders of shared objects renew in any case. */
  readonly hasUpkeep?: boolean
  /** Whether one of the faults is a crash of the store that loses all it has. */
  readonly mayLoseData?: boolean
  /** How many owners take over, the last but one of all: the last one is a ticket. */
  readonly takers?: number
  /** Of a read/write lock or semaphore; without it the object is a lock. */
  readonly shared?: Shared
}

/** An object that several owners hold at once. */
export interface Shared {
  readonly size: number
  /** Per owner, the permits that it requests. */
  readonly wants: readonly number[]
  /** The sizes that another client sets at any time, in this order; none larger than `size`. */
  readonly resizes?: readonly number[]
}

export const initialState = ({
  owners,
  faults,
  forces = 0,
  nesting = owners,
  hasUpkeep = false,
  mayLoseData = false,
  takers = 0,
  shared,
}: Bounds): State => ({
  store: storeState(Array<number>(owners).fill(0), [], Array<Entry>(owners).fill('-'), false),
  isLock: shared === undefined,
  hasUpkeep,
  mayLoseData,
  size: shared?.size ?? 1,
  owners: Array.from({ length: owners }, (_, i) => ({
    ...fresh,
    ...(takers > 0 && i === owners - 1 && { phase: 'unwritten' as const }),
    isTaker: takers > 0 && i < owners - 1 && i >= owners - 1 - takers,
    want: shared?.wants[i] ?? 1,
    hasNested: i >= nesting || shared !== undefined,
  })),
  arrivals: [],
  faultsLeft: faults,
  forcesLeft: forces,
  resizesLeft: shared?.resizes ?? [],
})

/** Whether the client of an owner that is done is subscribed matters to a queue entry that it left. */
const subscriptionOf = ({ entries }: StoreState, { isSubscribed }: Owner, owner: number): string =>
  entries[owner] === '-' ? '' : flag(isSubscribed)

export const isTicket = ({ phase }: Owner): boolean => phase === 'unwritten' || phase === 'written'

/** Nothing of it is in flight or ever will be. */
const isDone = ({ phase, command, wire, strays, inbox }: Owner): boolean =>
  (phase === 'over' || phase === 'crashed') &&
  command === null &&
  wire.length + strays.length + inbox.length === 0

const flag = (value: boolean): string => (value ? '1' : '0')

const encoded = new WeakMap<Owner, string>()

function encode(owner: Owner): string {
  const known = encoded.get(owner)
  if (known !== undefined) return known
  const { command } = owner
  const flags = [
    owner.hasNested,
    owner.isTaker,
    owner.inDoubt,
    owner.isQueued,
    owner.hasReply,
    owner.wasRevoked,
    owner.owesRelease,
    owner.isSubscribed,
    owner.isEvicted,
    owner.isOvertaken,
  ]
  const sent = command
    ? `${command.step}>${command.reply ?? ''}${flag(command.isRepeated)}${flag(command.isLate)}`
    : ''
  const text = [
    owner.phase,
    owner.count,
    flags.map(flag).join(''),
    owner.notice ?? '',
    sent,
    owner.wire.join(','),
    owner.strays.join(','),
    owner.inbox.join(','),
  ].join(';')
  encoded.set(owner, text)
  return text
}

/**
 * Two states with the same key have the same future, but for the names of the owners: what binds an owner to others is
 * its rank among them, so all that is known of each can be put in any order.
 */
export function keyOf({ store, owners, arrivals, faultsLeft, forcesLeft, resizesLeft }: State): string {
  const parts = owners.map((owner, i) => {
    const inStore = `${at(store.counts, i)}${at(store.entries, i)}${store.queue.indexOf(i)}.${arrivals.indexOf(i)}`
    return `${owner.want}${isDone(owner) ? `${owner.phase}${subscriptionOf(store, owner, i)}` : encode(owner)};${inStore}`
  })
  return `${parts.sort().join('/')}/${flag(store.hasFence)}${faultsLeft}${forcesLeft}${store.size ?? ''}.${resizesLeft.length}`
}

/** An element that is known to be there. */
export function at<T>(list: readonly T[], index: number): T {
  const value = list[index]
  if (value === undefined) throw new Error(`nothing at ${index} of ${list.length}`)
  return value
}

export const replaced = <T>(list: readonly T[], index: number, value: T): readonly T[] =>
  list.map((each, i) => (i === index ? value : each))

export const without = <T>(list: readonly T[], index: number): readonly T[] =>
  list.filter((_, i) => i !== index)

/** How many permits there are now. */
export const roomOf = (store: StoreState, size: number): number => store.size ?? size
