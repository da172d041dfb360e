/** Owners are numbers in the model and letters in what it prints. */
export const nameOf = (owner: number): string => 'ABCDEFGH'.charAt(owner)

/** A place in the queue (`live`, `stale`) or the mark of an owner that gave up (`mark`, and `past` when its time is over). */
export type Entry = 'live' | 'stale' | 'mark' | 'past' | '-'

/** What Redis holds for the one lock, without the numbers that only grow: of times only on which side of now they lie. */
export interface ServerState {
  readonly key: string
  /** Per owner the count in the lock's hash, 0 for none. */
  readonly counts: readonly number[]
  /** Owners by ticket. */
  readonly queue: readonly number[]
  readonly entries: readonly Entry[]
  readonly hasFence: boolean
}

export function serverState(
  counts: readonly number[],
  queue: readonly number[],
  entries: readonly Entry[],
  hasFence: boolean,
): ServerState {
  const key = `${counts.join('')}|${queue.join('')}|${entries.join(',')}|${hasFence ? 'f' : ''}`
  return { key, counts, queue, entries, hasFence }
}

/**
 * What an owner has Redis do. `ask` queues, `try` does not; `enter` and `leave` set the count to 2 and 1;
 * `free` gives hold and place up, and so does `mark`, which also has late asks refused.
 */
export type Order = 'ask' | 'try' | 'enter' | 'leave' | 'free' | 'mark'

export type Reply =
  'held' | 'queued' | 'unqueued' | 'lost' | 'gone' | 'done' | 'not-held' | 'waiting' | 'missing'

/** The one command of an owner that it waits for. */
export interface Command {
  readonly order: Order
  /** `null` while the request is on its way, then the answer that is on its way back. */
  readonly reply: Reply | null
  /** Its owner knows that it may have run before: it failed, or its connection broke. */
  readonly isRepeated: boolean
  /** It answers that the owner holds, and that hold has ended since. */
  readonly isLate: boolean
}

/** A message to an inbox: `late` is a grant whose hold has ended since. */
export type Message = 'granted' | 'late' | 'revoked'

export type Phase = 'idle' | 'asking' | 'waiting' | 'resting' | 'holding' | 'releasing' | 'over' | 'crashed'

export interface Owner {
  readonly phase: Phase
  /** The count it believes to have; 0 when it does not believe to hold. */
  readonly count: number
  readonly hasNested: boolean
  readonly inDoubt: boolean
  readonly isQueued: boolean
  readonly isAnswered: boolean
  readonly wasRevoked: boolean
  /** A grant it heard of while an ask was in flight. */
  readonly notice: 'granted' | 'late' | null
  readonly command: Command | null
  /** A further release is due when the present one is answered. */
  readonly owesRelease: boolean
  /** Sent before the command on the same connection, not waited for any more: they run first, in this order. */
  readonly wire: readonly Order[]
  /** Left behind by a connection that broke: they may run at any later time, or never. */
  readonly strays: readonly Order[]
  readonly inbox: readonly Message[]
  readonly isHeard: boolean
  /** Somebody forced its hold open and it was not told yet: outside the promise. */
  readonly isEvicted: boolean
  /** A stray ran after a later command of the hold: the count in Redis is the one that the stray wanted. */
  readonly isOvertaken: boolean
}

export interface State {
  readonly server: ServerState
  readonly owners: readonly Owner[]
  /** Who was queued before whom, kept by the model itself and not read from tickets. */
  readonly arrivals: readonly number[]
  readonly faultsLeft: number
  readonly forcesLeft: number
}

const fresh: Owner = {
  phase: 'idle',
  count: 0,
  hasNested: false,
  inDoubt: false,
  isQueued: false,
  isAnswered: false,
  wasRevoked: false,
  notice: null,
  command: null,
  owesRelease: false,
  wire: [],
  strays: [],
  inbox: [],
  isHeard: true,
  isEvicted: false,
  isOvertaken: false,
}

export interface Bounds {
  readonly owners: number
  /** Losses, delays, repeats, crashes, deaf inboxes, missed deadlines: how many of them in one run. */
  readonly faults: number
  /** How often somebody forces the lock open. */
  readonly forces?: number
  /** How many of them, from the first on, may enter twice. Default: all. */
  readonly nesting?: number
}

export const initialState = ({ owners, faults, forces = 0, nesting = owners }: Bounds): State => ({
  server: serverState(Array<number>(owners).fill(0), [], Array<Entry>(owners).fill('-'), false),
  owners: Array.from({ length: owners }, (_, i) => ({ ...fresh, hasNested: i >= nesting })),
  arrivals: [],
  faultsLeft: faults,
  forcesLeft: forces,
})

/** Whether the inbox of somebody who is done has a listener matters to a place that is left. */
const mayBeHeard = ({ entries }: ServerState, { isHeard }: Owner, owner: number): string =>
  entries[owner] === '-' ? '' : flag(isHeard)

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
    owner.inDoubt,
    owner.isQueued,
    owner.isAnswered,
    owner.wasRevoked,
    owner.owesRelease,
    owner.isHeard,
    owner.isEvicted,
    owner.isOvertaken,
  ]
  const sent = command
    ? `${command.order}>${command.reply ?? ''}${flag(command.isRepeated)}${flag(command.isLate)}`
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
export function keyOf({ server, owners, arrivals, faultsLeft, forcesLeft }: State): string {
  const parts = owners.map((owner, i) => {
    const inRedis = `${at(server.counts, i)}${at(server.entries, i)}${server.queue.indexOf(i)}.${arrivals.indexOf(i)}`
    return `${isDone(owner) ? `${owner.phase}${mayBeHeard(server, owner, i)}` : encode(owner)};${inRedis}`
  })
  return `${parts.sort().join('/')}/${flag(server.hasFence)}${faultsLeft}${forcesLeft}`
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
