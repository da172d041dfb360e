import type {
  AcquireReply,
  BusyReply,
  HeldReply,
  Inspection,
  NotALockReply,
  QueueEntryReply,
  ReleaseReply,
  RenewalReply,
} from '../engine/replies.js'
import type { AcquireRequest, QueueEntry, ReleaseRequest, Renewal } from '../engine/requests.js'
import type { ScriptCall, ScriptConnection } from './connection/script-connection.js'
import { isSlotMoving } from './errors.js'
import { clientInboxOf } from './keys.js'
import type { LockKeys } from './keys.js'
import { keysOf } from './kinds/lock.js'
import type { LockCalls } from './kinds/lock.js'
import { asList, notUnderstood, numberAt, textAt } from './reply.js'
import { scripts } from './scripts/generated.js'

/** A queue entry whose keys are known. */
interface RedisQueueEntry extends QueueEntry {
  readonly address: LockKeys
}

export interface LockCommandsOptions {
  readonly connection: Pick<ScriptConnection, 'run'>
  readonly calls: LockCalls
  /** The channel of this client. */
  readonly inbox: string
  /** The step was carried out, but Redis refused to publish its notification. */
  onNoticeError(error: string): void
}

const released: ReleaseReply = { kind: 'released' }
const notHeld: ReleaseReply = { kind: 'not-held' }
const entryStates = ['missing', 'waiting', 'granted'] as const

/** The scripts as functions. Everything about positions and codes stays in here. */
export class LockCommands {
  readonly #options: LockCommandsOptions
  #tokenFloor = 0
  /** The same as text: it is sent more often than it changes. */
  #tokenFloorText = '0'

  constructor(options: LockCommandsOptions) {
    this.#options = options
  }

  /** Remembers a token that came with a notification: later tokens must be larger, even when the fence key is lost. */
  sawToken(token: number): void {
    if (token <= this.#tokenFloor) return
    this.#tokenFloor = token
    this.#tokenFloorText = String(token)
  }

  acquire(keys: LockKeys, request: AcquireRequest, timeoutMs?: number): Promise<AcquireReply> {
    const { count, wantsToken } = request
    if (count > 1 && !(wantsToken && this.#options.calls.drawsTokenOnReentry)) {
      return this.#options.connection.run(setCountCall(keys, request), readReentry, timeoutMs)
    }
    return this.#options.connection.run(this.acquireCall(keys, request), this.readAcquire, timeoutMs)
  }

  /** An `acquire` for another connection to send. */
  acquireCall(keys: LockKeys, request: AcquireRequest): ScriptCall {
    return this.#options.calls.acquire(keys, request, this.#options.inbox, this.#tokenFloorText)
  }

  readonly readAcquire = (given: unknown, { keys: [lock = ''] }: ScriptCall): AcquireReply => {
    if (typeof given === 'string' && given.includes(' ')) return readBusy(given)
    if (typeof given === 'string' || typeof given === 'number') return this.#held(given)
    const reply = asList(given)
    switch (numberAt(reply, 0)) {
      case 0:
        this.#reportError(textAt(reply, 2))
        return readBusy(textAt(reply, 1))
      case -1:
        return { kind: 'lost' }
      case -2:
        return { kind: 'abandoned' }
      default:
        return notALockReply(lock, textAt(reply, 1))
    }
  }

  /** Sets the hold count; at 0 gives up the hold and the queue entry. */
  release(keys: LockKeys, request: ReleaseRequest, timeoutMs?: number): Promise<ReleaseReply> {
    const call =
      request.count > 0
        ? setCountCall(keys, { ...request, leaseMs: 0 })
        : this.#options.calls.release(keys, request, this.#tokenFloorText)
    return this.#options.connection.run(call, this.#readRelease, timeoutMs)
  }

  /** Evicts the named owner; `not-held` when it was no longer the holder. */
  force(keys: LockKeys, owner: string): Promise<ReleaseReply> {
    const call = this.#options.calls.force(keys, owner, clientInboxOf(owner), this.#tokenFloorText)
    return this.#options.connection.run(call, this.#readRelease)
  }

  /** Renews holds of one group in one command, or one by one while the slot of the group is being migrated. */
  renew(renewals: readonly Renewal[], timeoutMs: number): Promise<readonly RenewalReply[]> {
    return togetherOrSingly(renewals, async (batch) => {
      const keys = batch.map(({ address }) => address.id)
      const args = batch.flatMap(({ owner, leaseMs }) => [owner, leaseMs])
      const call = { script: scripts.lockRenew, keys, args }
      const reply = await this.#options.connection.run(call, asList, timeoutMs)
      return batch.map((_, i) => (numberAt(reply, i) === 1 ? 'renewed' : 'not-held'))
    })
  }

  /** Keeps queue entries of one group alive in one command, or one by one while the slot is being migrated. */
  refresh(entries: readonly RedisQueueEntry[]): Promise<readonly QueueEntryReply[]> {
    return togetherOrSingly(entries, async (batch) => {
      const keys = batch.flatMap(({ address: { lock, queue, waiters } }) => [lock, queue, waiters])
      const args = batch.flatMap(({ owner, entryTtlMs }) => [owner, entryTtlMs])
      const call = { script: scripts.lockRefresh, keys, args }
      const reply = await this.#options.connection.run(call, asList)
      return batch.map((_, i) => ({
        state: entryStates[numberAt(reply, 2 * i)] ?? 'missing',
        ttlMs: numberAt(reply, 2 * i + 1),
      }))
    })
  }

  async inspect(keys: LockKeys, limit: number): Promise<Inspection | NotALockReply> {
    const call = { script: scripts.lockInspect, keys: keysOf(keys), args: [limit] }
    const reply = await this.#options.connection.run(call, asList)
    if (numberAt(reply, 0) === -3) return notALockReply(keys.lock, textAt(reply, 1))
    const waiters = []
    for (let i = 5; i < reply.length; i += 2) {
      waiters.push({ owner: textAt(reply, i), aliveMs: numberAt(reply, i + 1) })
    }
    return {
      kind: 'lock',
      ttlMs: numberAt(reply, 0),
      owner: textAt(reply, 1),
      count: numberAt(reply, 2),
      token: numberAt(reply, 3),
      waiterCount: numberAt(reply, 4),
      waiters,
    }
  }

  readonly #readRelease = (given: unknown, { keys: [lock = ''] }: ScriptCall): ReleaseReply => {
    if (typeof given === 'number') return given === 1 ? released : notHeld
    const reply = asList(given)
    const code = numberAt(reply, 0)
    if (code === -3) return notALockReply(lock, textAt(reply, 1))
    this.#reportError(textAt(reply, 1))
    return code === 1 ? released : notHeld
  }

  #held(given: string | number): HeldReply {
    const token = Number(given)
    if (Number.isNaN(token)) throw notUnderstood('a token', given)
    this.sawToken(token)
    return { kind: 'held', token }
  }

  #reportError(error: string): void {
    if (error !== '') this.#options.onNoticeError(error)
  }
}

const setCountCall = (
  { lock }: LockKeys,
  { owner, count, leaseMs }: Pick<AcquireRequest, 'owner' | 'count' | 'leaseMs'>,
): ScriptCall => ({ script: scripts.lockSetCount, keys: [lock], args: [owner, count, leaseMs] })

function readReentry(given: unknown, { keys: [lock = ''] }: ScriptCall): AcquireReply {
  if (typeof given === 'number') return given === 1 ? { kind: 'held', token: 0 } : { kind: 'lost' }
  return notALockReply(lock, textAt(asList(given), 1))
}

const notALockReply = (lock: string, type: string): NotALockReply => ({
  kind: 'not-a-lock',
  reason:
    `the key ${lock} holds a ${type === 'hash' ? 'hash that never expires' : type}; ` +
    'nothing was changed. Use another name or prefix, or remove the key',
})

/** `<ttlMs> <serverUs> <position> <holder>` */
function readBusy(text: string): BusyReply {
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

async function togetherOrSingly<Item, Reply>(
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
