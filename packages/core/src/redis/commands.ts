import { TokenFloors, type LockSteps } from '../engine/lock-steps.js'
import type {
  AcquireReply,
  BusyReply,
  HeldReply,
  Inspection,
  JointReply,
  NotALockReply,
  QueueEntryReply,
  ReleaseReply,
  RenewalReply,
  ResizeReply,
  SharedInspection,
  AcquireRequest,
  JointRequest,
  QueueEntry,
  ReleaseRequest,
  Renewal,
  ResizeRequest,
} from '../engine/requests.js'
import { RefusedError } from '../errors/errors.js'
import type { ScriptCall, ScriptRunner } from './connection/script-connection.js'
import { engineName, isSlotMoving, asList, notUnderstood, numberAt, textAt } from './errors.js'
import { clientInboxOf, type Keys, type Kind } from './keys.js'
import { lockScripts } from './scripts/generated.js'

export interface RedisQueueEntry extends QueueEntry {
  readonly address: Keys
}

export interface RedisRenewal extends Renewal {
  readonly address: Keys
}

export interface RedisJointRequest extends JointRequest {
  readonly locks: readonly { readonly address: Keys; readonly owner: string }[]
}

/** The script calls of one kind of object. Their replies have the same forms, but for that of `inspect`. */
export interface Calls {
  acquire(keys: Keys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall
  /** Only where no one else makes tokens. */
  raiseToken?(keys: Keys, token: number, keepMs: number): ScriptCall
  /** Gives up the hold and the queue entry, or some of the permits. */
  release(keys: Keys, request: ReleaseRequest, tokenFloor: string): ScriptCall
  /** Whether `setCount` serves this request in place of `acquire`. */
  setsCount?(request: AcquireRequest): boolean
  /** Enters a hold again, or leaves it without releasing it. Only of objects that count entries. */
  setCount?(keys: Keys, owner: string, count: number, leaseMs: number): ScriptCall
  /** @param inbox - of the client of `owner` */
  force(keys: Keys, owner: string, inbox: string, tokenFloor: string): ScriptCall
  /** Only of objects that have a size. */
  resize?(keys: Keys, request: ResizeRequest, tokenFloor: string): ScriptCall
  renew(renewals: readonly RedisRenewal[]): ScriptCall
  refresh(entries: readonly RedisQueueEntry[]): ScriptCall
  inspect(keys: Keys, limit: number): ScriptCall
  readInspection(reply: readonly unknown[]): Inspection | SharedInspection
}

/** The keys of a lock, in the order that the scripts want. */
export const keyList = ({ main, queue, waiters, fence }: Keys): string[] => [main, queue, waiters, fence]

/**
 * The queue entry that a request wants, as far as the client knows it; `''` for none.
 *
 * @param countsInboxes - whether the server knows all subscribers of a channel; a cluster node does not
 */
export const waitingOf = (
  { entryTtlMs, grantLeaseMs, proof }: AcquireRequest,
  inbox: string,
  countsInboxes: boolean,
): string =>
  entryTtlMs > 0 ? `${entryTtlMs} ${grantLeaseMs} ${countsInboxes ? 1 : 0} ${proof} ${inbox}` : ''

/** What a release sends last if late requests of its owner are to be refused. */
export const tombstoneOf = ({ tombstoneMs }: ReleaseRequest): number[] =>
  tombstoneMs > 0 ? [tombstoneMs] : []

/** What does not depend on who shares a lock. */
export const lockCalls = {
  setCount: ({ main }: Keys, owner: string, count: number, leaseMs: number): ScriptCall => ({
    script: lockScripts.lockSetCount,
    keys: [main],
    args: [owner, count, leaseMs],
  }),

  renew: (renewals: readonly RedisRenewal[]): ScriptCall => ({
    script: lockScripts.lockRenew,
    keys: renewals.map(({ address: { main } }) => main),
    args: renewals.flatMap(({ owner, leaseMs }) => [owner, leaseMs]),
  }),

  refresh: (entries: readonly RedisQueueEntry[]): ScriptCall => ({
    script: lockScripts.lockRefresh,
    keys: entries.flatMap(({ address: { main, queue, waiters } }) => [main, queue, waiters]),
    args: entries.flatMap(({ owner, entryTtlMs }) => [owner, entryTtlMs]),
  }),

  inspect: (keys: Keys, limit: number): ScriptCall => ({
    script: lockScripts.lockInspect,
    keys: keyList(keys),
    args: [limit],
  }),

  readInspection(reply: readonly unknown[]): Inspection {
    const [owner, count, token] = [textAt(reply, 1), numberAt(reply, 2), numberAt(reply, 3)]
    const waiters = []
    for (let i = 5; i < reply.length; i += 2)
      waiters.push({ owner: textAt(reply, i), aliveMs: numberAt(reply, i + 1) })
    const waiterCount = numberAt(reply, 4)
    return { kind: 'lock', ttlMs: numberAt(reply, 0), owner, count, token, waiterCount, waiters }
  },
}

/** A lock among Holdfast clients: a release makes the first waiter the holder. */
export const nativeCalls = (countsInboxes: boolean): Calls => ({
  ...lockCalls,
  setsCount: ({ count }) => count > 1,

  acquire(keys, request, inbox, floor) {
    const { owner, leaseMs, heir } = request
    const script = heir === undefined ? lockScripts.lockAcquire : lockScripts.lockTakeOver
    const last = heir ?? waitingOf(request, inbox, countsInboxes)
    return { script, keys: keyList(keys), args: [owner, leaseMs, floor, last] }
  },

  raiseToken: ({ fence }, token, keepMs) => ({
    script: lockScripts.clientRaiseFence,
    keys: [fence],
    args: [token, keepMs],
  }),

  release(keys, request, floor) {
    const { owner, tombstoneMs, keepMs, heir } = request
    const ends = keepMs === undefined ? tombstoneOf(request) : [tombstoneMs > 0 ? tombstoneMs : '', keepMs]
    const args = [owner, floor, ...ends]
    if (heir !== undefined) args.push(heir)
    return { script: lockScripts.lockRelease, keys: keyList(keys), args }
  },

  force: (keys, owner, inbox, floor) => ({
    script: lockScripts.lockForce,
    keys: keyList(keys),
    args: [owner, inbox, floor],
  }),
})

/** The script calls of each kind of object that is carried. */
export type CallsByKind = Readonly<Partial<Record<Kind, Calls>> & { lock: Calls }>

export interface RedisCommandsOptions {
  readonly connection: ScriptRunner
  readonly calls: CallsByKind
  readonly inbox: string
  /** The step was carried out, but Redis refused to publish its notification. */
  onNoticeError(error: string): void
}

const released: ReleaseReply = { kind: 'released' }
const notHeld: ReleaseReply = { kind: 'not-held' }
const entryStates = ['missing', 'waiting', 'granted'] as const

/** The scripts as functions. Everything about positions and codes stays in here. */
export class RedisCommands implements LockSteps {
  /** Of several locks at once: carried by multi locks, and only where no one else takes part in how a lock is handed on. */
  acquireMany?: (request: RedisJointRequest, timeoutMs?: number) => Promise<JointReply>
  readonly raiseToken?: (keys: Keys, token: number, keepMs: number) => Promise<void>
  readonly #options: RedisCommandsOptions
  #calls: CallsByKind
  readonly #floors = new TokenFloors()

  constructor(options: RedisCommandsOptions) {
    this.#options = options
    const { connection, calls } = options
    this.#calls = { ...calls }
    const raiseToken = calls.lock.raiseToken?.bind(calls.lock)
    if (raiseToken) {
      this.raiseToken = (keys, token, keepMs) =>
        connection.run(raiseToken(keys, token, keepMs), (reply) => {
          if (Array.isArray(reply)) throw fenceRefused(keys, reply)
        })
    }
  }

  carry(calls: Partial<CallsByKind>): void {
    this.#calls = { ...this.#calls, ...calls }
  }

  /** Remembers a token that came with a notification: later tokens of this lock must be larger, even when the fence key is lost. */
  noteToken({ main }: Keys, token: number): void {
    this.#floors.saw(main, token)
  }

  /** As scripts take it. */
  floorOf({ main }: { readonly main: string }): string {
    return String(this.#floors.of(main))
  }

  acquire(keys: Keys, request: AcquireRequest, timeoutMs?: number): Promise<AcquireReply> {
    const { connection } = this.#options
    const calls = this.#callsFor(keys)
    if (calls.setCount && calls.setsCount?.(request)) {
      const { owner, count, leaseMs } = request
      return connection.run(calls.setCount(keys, owner, count, leaseMs), readReentry, timeoutMs)
    }
    return connection.run(this.acquireCall(keys, request), this.readAcquire, timeoutMs)
  }

  acquireCall(keys: Keys, request: AcquireRequest): ScriptCall {
    return this.#callsFor(keys).acquire(keys, request, this.#options.inbox, this.floorOf(keys))
  }

  readonly readAcquire = (given: unknown, { keys: [lock = ''] }: ScriptCall): AcquireReply => {
    if (typeof given === 'string' && given.includes(' ')) return readBusy(given)
    if (typeof given === 'string' || typeof given === 'number') return this.readHeld(lock, given)
    const reply = asList(given)
    switch (numberAt(reply, 0)) {
      case 0:
        this.#reportError(textAt(reply, 2))
        return readBusy(textAt(reply, 1))
      case 1:
        this.#reportError(textAt(reply, 2))
        return { kind: 'held', token: 0, free: numberAt(reply, 1) }
      case -1:
        return { kind: 'lost' }
      case -2:
        return { kind: 'abandoned' }
      case -4:
        return fenceBeyond(textAt(reply, 1), textAt(reply, 2))
      default:
        return notALockReply(lock, textAt(reply, 1))
    }
  }

  /** Sets the hold count; at 0 gives up the hold and the queue entry. */
  release(keys: Keys, request: ReleaseRequest, timeoutMs?: number): Promise<ReleaseReply> {
    const calls = this.#callsFor(keys)
    const call =
      request.count > 0 && calls.setCount
        ? calls.setCount(keys, request.owner, request.count, 0)
        : calls.release(keys, request, this.floorOf(keys))
    return this.#options.connection.run(call, this.#readRelease, timeoutMs)
  }

  force(keys: Keys, owner: string): Promise<ReleaseReply> {
    const call = this.#callsFor(keys).force(keys, owner, clientInboxOf(owner), this.floorOf(keys))
    return this.#options.connection.run(call, this.#readRelease)
  }

  resize(keys: Keys, request: ResizeRequest, timeoutMs: number): Promise<ResizeReply | NotALockReply> {
    const call = this.#callsFor(keys).resize?.(keys, request, this.floorOf(keys))
    if (!call) throw new TypeError(`${keys.main} has no size`)
    return this.#options.connection.run(call, this.#readResize, timeoutMs)
  }

  /** Renews holds of one group in one command, or one by one while the slot of the group is being migrated. */
  renew(renewals: readonly RedisRenewal[], timeoutMs: number): Promise<readonly RenewalReply[]> {
    return togetherOrSingly(renewals, async (batch) => {
      const call = this.#callsFor(batch[0]?.address).renew(batch)
      const reply = await this.#options.connection.run(call, asList, timeoutMs)
      return batch.map((_, i) => (numberAt(reply, i) === 1 ? 'renewed' : 'not-held'))
    })
  }

  /** Keeps queue entries of one group alive in one command, or one by one while the slot is being migrated. */
  refresh(entries: readonly RedisQueueEntry[]): Promise<readonly QueueEntryReply[]> {
    return togetherOrSingly(entries, async (batch) => {
      const call = this.#callsFor(batch[0]?.address).refresh(batch)
      const reply = await this.#options.connection.run(call, asList)
      return batch.map((_, i): QueueEntryReply => {
        const state = entryStates[numberAt(reply, 2 * i)] ?? 'missing'
        const said = reply[2 * i + 1]
        if (typeof said !== 'string') return { state, ttlMs: numberAt(reply, 2 * i + 1) }
        const { ttlMs, holder, position } = readBusy(said)
        return { state, ttlMs, holder, position: position === 0 ? undefined : position }
      })
    })
  }

  async inspect(keys: Keys, limit: number): Promise<Inspection | SharedInspection | NotALockReply> {
    const calls = this.#callsFor(keys)
    const reply = await this.#options.connection.run(calls.inspect(keys, limit), asList)
    if (numberAt(reply, 0) === -3) return notALockReply(keys.main, textAt(reply, 1))
    return calls.readInspection(reply)
  }

  readonly #readRelease = (given: unknown, { keys: [lock = ''] }: ScriptCall): ReleaseReply => {
    if (typeof given === 'number') return given === 1 ? released : notHeld
    const reply = asList(given)
    const code = numberAt(reply, 0)
    if (code === -3) return notALockReply(lock, textAt(reply, 1))
    this.#reportError(textAt(reply, 1))
    return code === 1 ? released : notHeld
  }

  readonly #readResize = (given: unknown, { keys: [main = ''] }: ScriptCall): ResizeReply | NotALockReply => {
    const reply = asList(given)
    const code = numberAt(reply, 0)
    if (code === -3) return notALockReply(main, textAt(reply, 1))
    if (reply.length > 3) this.#reportError(textAt(reply, 3))
    const kind = code === 1 ? 'resized' : 'superseded'
    return { kind, version: numberAt(reply, 1), size: numberAt(reply, 2) }
  }

  readHeld(lock: string, given: string | number): HeldReply {
    const token = Number(given)
    if (Number.isNaN(token)) throw notUnderstood('a token', given)
    if (!Number.isSafeInteger(token)) throw tokenBeyond(lock, given)
    if (token > 0) this.#floors.saw(lock, token)
    return { kind: 'held', token }
  }

  #callsFor(keys: Keys | undefined): Calls {
    const calls = this.#calls[keys?.kind ?? 'lock']
    if (!calls) throw new TypeError(`${keys?.main} belongs to an object that this session does not carry`)
    return calls
  }

  #reportError(error: string): void {
    if (error !== '') this.#options.onNoticeError(error)
  }
}

function readReentry(given: unknown, { keys: [lock = ''] }: ScriptCall): AcquireReply {
  if (typeof given === 'number') return given === 1 ? { kind: 'held', token: 0 } : { kind: 'lost' }
  return notALockReply(lock, textAt(asList(given), 1))
}

export const notALockReply = (lock: string, type: string): NotALockReply => ({
  kind: 'not-a-lock',
  reason:
    `the key ${lock} holds a ${type === 'hash' ? 'hash that never expires' : type}; ` +
    'nothing was changed. Use another name or prefix, or remove the key',
})

/** The fence key of a lock has what no token can follow. */
export const fenceBeyond = (fence: string, value: string): NotALockReply => ({
  kind: 'not-a-lock',
  reason:
    `the key ${fence} holds ${value}, which is no fencing token or more than a day ahead of the server's clock, so this lock ` +
    'has no tokens; others are not affected. Delete the key, once whatever checks tokens of this lock has forgotten larger ones',
})

const fenceRefused = ({ fence }: Keys, reply: readonly unknown[]): RefusedError =>
  new RefusedError(fenceBeyond(fence, textAt(reply, 1)).reason, { engine: engineName })

const tokenBeyond = (lock: string, token: string | number): RefusedError =>
  new RefusedError(
    `the fencing token of the key ${lock} is ${token}, past what can be counted on from (2^53 - 1): the lock was given back, and ` +
      'others are not affected. Set the key of its token to a smaller number, or remove it',
    { engine: engineName },
  )

/** `<ttlMs> <serverUs> <position> <holder>` */
export function readBusy(text: string): BusyReply {
  const ttlEnd = text.indexOf(' ')
  const timeEnd = text.indexOf(' ', ttlEnd + 1)
  const positionEnd = text.indexOf(' ', timeEnd + 1)
  const ttlMs = Number(text.slice(0, ttlEnd))
  const serverUs = Number(text.slice(ttlEnd + 1, timeEnd))
  const position = Number(text.slice(timeEnd + 1, positionEnd))
  if (Number.isNaN(ttlMs + serverUs + position)) {
    throw notUnderstood('three numbers and a holder', text)
  }
  return { kind: 'busy', ttlMs, serverUs, position, holder: text.slice(positionEnd + 1) }
}

/** Runs a batch of one slot in one command, or one by one while the slot is being migrated. */
export async function togetherOrSingly<Item, Reply>(
  items: readonly Item[],
  run: (batch: readonly Item[]) => Promise<readonly Reply[]>,
): Promise<readonly Reply[]> {
  try {
    return await run(items)
  } catch (error) {
    if (items.length === 1 || !isSlotMoving(error)) throw error
    return (await Promise.all(items.map((item) => run([item])))).flat()
  }
}
