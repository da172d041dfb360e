import { RefusedError } from '../errors.js'
import type { LockKeys } from './keys.js'
import { scripts } from './scripts/generated.js'
import type { CommandLink, ScriptCall } from './connection/script-connection.js'
import { isSlotMoving } from './errors.js'
import { keysOf } from './kinds/lock.js'
import type { Ask, LockCalls, ReleaseWish } from './kinds/lock.js'
import { asList, numberAt, textAt } from './reply.js'

export type AskAnswer =
  | { readonly kind: 'held'; readonly token: number }
  | BusyAnswer
  | { readonly kind: 'lost' }
  | { readonly kind: 'gone' }
  | Foreign

/** Somebody else has it. */
export interface BusyAnswer {
  readonly kind: 'busy'
  readonly ttlMs: number
  readonly serverUs: number
  /** '' when the lock is free, but somebody else's turn (with Redisson). */
  readonly holder: string
  /** 0: not queued. */
  readonly position: number
}

/** The key is not a lock. */
export interface Foreign {
  readonly kind: 'foreign'
  readonly type: string
}

export type ReleaseAnswer = { readonly kind: 'done' } | { readonly kind: 'not-held' } | Foreign

/** One hold to renew. */
export interface Renewal {
  readonly keys: LockKeys
  readonly owner: string
  readonly leaseMs: number
}

export type RenewalAnswer = 'renewed' | 'not-held'

/** One place to keep alive. */
export interface Place {
  readonly keys: LockKeys
  readonly owner: string
  readonly placeMs: number
}

export interface PlaceAnswer {
  readonly state: 'waiting' | 'granted' | 'missing'
  /** Of the hold that is waited for; -2 when the lock is free. */
  readonly ttlMs: number
}

export interface Inspection {
  readonly ttlMs: number
  readonly owner: string
  readonly count: number
  readonly token: number
  readonly waiterCount: number
  readonly waiters: readonly { readonly owner: string; readonly aliveMs: number }[]
}

const done: ReleaseAnswer = { kind: 'done' }
const notHeld: ReleaseAnswer = { kind: 'not-held' }
const placeStates = ['missing', 'waiting', 'granted'] as const

/** The scripts as functions. Everything about positions and codes stays in here. */
export class LockCommands {
  readonly #link: CommandLink
  readonly #calls: LockCalls
  readonly #onNoticeFault: (fault: string) => void
  #tokenFloor = 0
  /** The same as it is sent, which it is more often than it changes. */
  #tokenFloorText = '0'

  /** @param onNoticeFault - the step was made, but Redis refused to publish the notice of it */
  constructor(link: CommandLink, calls: LockCalls, onNoticeFault: (fault: string) => void) {
    this.#link = link
    this.#calls = calls
    this.#onNoticeFault = onNoticeFault
  }

  /** Remembers a token that came with a notice: later tokens must be larger, even when the fence key is lost. */
  sawToken(token: number): void {
    if (token <= this.#tokenFloor) return
    this.#tokenFloor = token
    this.#tokenFloorText = String(token)
  }

  acquire(keys: LockKeys, ask: Ask, timeoutMs?: number): Promise<AskAnswer> {
    return this.#link.run(this.acquireCall(keys, ask), this.readAcquire, timeoutMs)
  }

  /** An `acquire` for another connection to send. */
  acquireCall(keys: LockKeys, ask: Ask): ScriptCall {
    return this.#calls.acquire(keys, ask, this.#tokenFloorText)
  }

  readonly readAcquire = (given: unknown): AskAnswer => {
    if (typeof given === 'number') {
      this.sawToken(given)
      return { kind: 'held', token: given }
    }
    if (typeof given === 'string') return readBusy(given)
    const reply = asList(given)
    switch (numberAt(reply, 0)) {
      case 0:
        this.#reportFault(textAt(reply, 2))
        return readBusy(textAt(reply, 1))
      case -1:
        return { kind: 'lost' }
      case -2:
        return { kind: 'gone' }
      default:
        return { kind: 'foreign', type: textAt(reply, 1) }
    }
  }

  /** Sets the hold count; at 0 gives up hold and place. */
  release(keys: LockKeys, wish: ReleaseWish, timeoutMs?: number): Promise<ReleaseAnswer> {
    const call = this.#calls.release(keys, wish, this.#tokenFloorText)
    return this.#link.run(call, this.#readRelease, timeoutMs)
  }

  /** Evicts the named owner; `not-held` when it was no longer the holder. */
  force(keys: LockKeys, owner: string, inbox: string): Promise<ReleaseAnswer> {
    return this.#link.run(this.#calls.force(keys, owner, inbox, this.#tokenFloorText), this.#readRelease)
  }

  /** Renews holds of one group in one command, or one by one while the slot of the group is being moved. */
  renew(renewals: readonly Renewal[], timeoutMs: number): Promise<readonly RenewalAnswer[]> {
    return togetherOrSingly(renewals, async (batch) => {
      const keys = batch.map((renewal) => renewal.keys.lock)
      const args = batch.flatMap(({ owner, leaseMs }) => [owner, leaseMs])
      const reply = await this.#link.run({ script: scripts.lockRenew, keys, args }, asList, timeoutMs)
      return batch.map((_, i) => (numberAt(reply, i) === 1 ? 'renewed' : 'not-held'))
    })
  }

  /** Keeps places of one group alive in one command, or one by one while the slot of the group is being moved. */
  refresh(places: readonly Place[]): Promise<readonly PlaceAnswer[]> {
    return togetherOrSingly(places, async (batch) => {
      const keys = batch.flatMap(({ keys: { lock, queue, waiters } }) => [lock, queue, waiters])
      const args = batch.flatMap(({ owner, placeMs }) => [owner, placeMs])
      const reply = await this.#link.run({ script: scripts.lockRefresh, keys, args }, asList)
      return batch.map((_, i) => ({
        state: placeStates[numberAt(reply, 2 * i)] ?? 'missing',
        ttlMs: numberAt(reply, 2 * i + 1),
      }))
    })
  }

  async inspect(keys: LockKeys, most: number): Promise<Inspection | Foreign> {
    const call = { script: scripts.lockInspect, keys: keysOf(keys), args: [most] }
    const reply = await this.#link.run(call, asList)
    if (numberAt(reply, 0) === -3) return { kind: 'foreign', type: textAt(reply, 1) }
    const waiters = []
    for (let i = 5; i < reply.length; i += 2) {
      waiters.push({ owner: textAt(reply, i), aliveMs: numberAt(reply, i + 1) })
    }
    return {
      ttlMs: numberAt(reply, 0),
      owner: textAt(reply, 1),
      count: numberAt(reply, 2),
      token: numberAt(reply, 3),
      waiterCount: numberAt(reply, 4),
      waiters,
    }
  }

  readonly #readRelease = (given: unknown): ReleaseAnswer => {
    if (typeof given === 'number') return given === 1 ? done : notHeld
    const reply = asList(given)
    const code = numberAt(reply, 0)
    if (code === -3) return { kind: 'foreign', type: textAt(reply, 1) }
    this.#reportFault(textAt(reply, 1))
    return code === 1 ? done : notHeld
  }

  #reportFault(fault: string): void {
    if (fault !== '') this.#onNoticeFault(fault)
  }
}

/** `<ttlMs> <serverUs> <position> <holder>` */
function readBusy(text: string): BusyAnswer {
  const ttlEnd = text.indexOf(' ')
  const timeEnd = text.indexOf(' ', ttlEnd + 1)
  const positionEnd = text.indexOf(' ', timeEnd + 1)
  const ttlMs = Number(text.slice(0, ttlEnd))
  const serverUs = Number(text.slice(ttlEnd + 1, timeEnd))
  const position = Number(text.slice(timeEnd + 1, positionEnd))
  if (Number.isNaN(ttlMs + serverUs + position)) {
    throw new RefusedError(`expected three numbers and a holder from the script, got ${text}`)
  }
  return { kind: 'busy', ttlMs, serverUs, position, holder: text.slice(positionEnd + 1) }
}

async function togetherOrSingly<Item, Answer>(
  items: readonly Item[],
  run: (batch: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  try {
    return await run(items)
  } catch (error) {
    if (items.length === 1 || !isSlotMoving(error)) throw error
    return (await Promise.all(items.map((item) => run([item])))).flat()
  }
}
