import {
  hasOpened,
  isOpen,
  isSet,
  timedOut,
  UnavailableError,
  within,
  type Address,
  type Awaited,
  type CountDownRequest,
  type LatchDeleteRequest,
  type LatchInspection,
  type LatchReply,
  type LatchSession,
  type LatchSetRequest,
  type LatchWait,
  type LatchWaitReply,
} from '@holdfast/core/engine'
import { latchOf, recordOf, textOf, type Latch } from './latch-record.js'
import type { LatchStore } from './latch-store.js'
import type { LatchWatches } from './latch-watches.js'

export interface LatchesDeps {
  readonly latches: LatchStore
  readonly watches: LatchWatches
  readonly commandTimeoutMs: number
  readonly now: () => number
}

/** A latch is kept again after this part of its time, at the latest. */
const keptPart = 0.01
const mostKept = 1_000

/** Count-down latches on a store that keeps texts and names. A step whose text was changed by another client begins again. */
export class QueueLatches implements LatchSession {
  readonly #deps: LatchesDeps
  /** When this client last had a latch kept, by name and version. */
  readonly #keptAt = new Map<string, number>()
  /** Latches as this client read them last, by their names. */
  readonly #closed = new Map<string, Latch>()

  constructor(deps: LatchesDeps) {
    this.#deps = deps
  }

  set({ name }: Address, request: LatchSetRequest, timeoutMs: number): Promise<LatchReply> {
    const { named, setter, count, keepMs } = request
    return this.#bounded(timeoutMs, async () => {
      for (;;) {
        const latch = await this.#read(name, timeoutMs)
        const { record, state, stored } = latch
        if (record.setter === setter) return reply('done', latch)
        if (state.generation !== named || (isSet(state) && !isOpen(state))) return reply('other', latch)
        const first = isSet(state) ? state.first : null
        const text = textOf({
          ...{ generation: null, first, opened: state.opened, previous: named },
          ...{ count, keepMs, setter },
        })
        await this.#deps.latches.write(
          name,
          stored,
          { text, keepMs, round: setter, isClosed: true },
          timeoutMs,
        )
      }
    })
  }

  countDown({ name }: Address, { named, party }: CountDownRequest, timeoutMs: number): Promise<LatchReply> {
    return this.#bounded(timeoutMs, async () => {
      // Mostly it is as it was.
      for (let known = this.#closed.get(name); ; known = undefined) {
        const latch = known ?? (await this.#read(name, timeoutMs))
        const { record, state, stored } = latch
        if (known && state.generation !== named) continue
        if (!stored || state.generation !== named || !isSet(state)) return reply('other', latch)
        if (isOpen(state)) {
          await this.#keep(name, latch, timeoutMs)
          return reply('done', latch)
        }
        const counted = await this.#deps.latches.count(name, stored, record.setter, party, timeoutMs)
        if (counted === null) continue
        await this.#keep(name, latch, timeoutMs)
        const now = latchOf(stored, counted)
        return reply('done', now.state.left > 0 ? now : await this.#read(name, timeoutMs))
      }
    })
  }

  wait(waits: readonly LatchWait[], timeoutMs: number): Promise<readonly LatchWaitReply[]> {
    return this.#bounded(timeoutMs, () => Promise.all(waits.map((wait) => this.#wait(wait, timeoutMs))))
  }

  delete({ name }: Address, request: LatchDeleteRequest, timeoutMs: number): Promise<LatchReply> {
    const { named, tombstoneMs: keepMs } = request
    return this.#bounded(timeoutMs, async () => {
      for (;;) {
        const latch = await this.#read(name, timeoutMs)
        const { record, state, stored } = latch
        if (state.generation !== named) return reply('other', latch)
        if (!isSet(state)) return reply('done', latch)
        const text = textOf({ ...record, generation: named, first: named + 1 })
        const deleted = { text, keepMs, round: record.setter, isClosed: false }
        await this.#deps.latches.write(name, stored, deleted, timeoutMs)
      }
    })
  }

  async inspect({ name }: Address, limit: number): Promise<LatchInspection> {
    const { commandTimeoutMs: timeoutMs, latches } = this.#deps
    return this.#bounded(timeoutMs, async () => {
      const { record, state, stored } = await this.#read(name, timeoutMs)
      const isClosed = isSet(state) && !isOpen(state)
      const isShown = limit > 0
      const [waiters, parties, ttlMs] = await Promise.all([
        latches.waiters(name, limit, timeoutMs),
        isShown && isClosed ? latches.parties(name, record.setter, limit, timeoutMs) : nobody,
        stored && isShown ? latches.leftMs(name, stored, timeoutMs) : -2,
      ])
      return {
        kind: 'latch',
        state,
        count: isSet(state) ? record.count : 0,
        ttlMs,
        parties: parties.some,
        waiterCount: waiters.count,
        waiters: waiters.some,
      }
    })
  }

  async #wait({ address, awaited, aliveMs }: LatchWait, timeoutMs: number): Promise<LatchWaitReply> {
    const { name } = address
    if (aliveMs === 0) return waitReply(await this.#read(name, timeoutMs), awaited)
    let found: LatchWaitReply = { kind: 'gone' }
    const look = async (): Promise<number | undefined> => {
      const latch = await this.#read(name, timeoutMs)
      found = waitReply(latch, awaited)
      if (found.kind !== 'closed') return undefined
      await this.#keep(name, latch, timeoutMs)
      return found.awaited.generation
    }
    await this.#deps.watches.during(address, aliveMs, awaited?.generation, look, timeoutMs)
    return found
  }

  /** Whoever finds that all have counted down opens it: the last of them may have died before it could. */
  async #read(name: string, timeoutMs: number): Promise<Latch> {
    const { latches } = this.#deps
    for (;;) {
      const stored = await latches.read(name, timeoutMs)
      const latch = latchOf(stored, 0)
      if (!stored || !isSet(latch.state) || isOpen(latch.state)) return latch
      const { setter: round, keepMs } = latch.record
      const { count } = await latches.parties(name, round, 1, timeoutMs)
      const now = latchOf(stored, count)
      if (now.state.left > 0) {
        if (this.#closed.size >= mostKept) this.#closed.clear()
        this.#closed.set(name, now)
        return now
      }
      const { generation } = now.state
      const text = textOf({ ...recordOf(stored), generation, first: now.state.first, opened: generation })
      await latches.write(name, stored, { text, keepMs, round, isClosed: false }, timeoutMs)
    }
  }

  async #keep(name: string, { stored, record }: Latch, timeoutMs: number): Promise<void> {
    if (!stored) return
    const key = `${stored.version} ${name}`
    const now = this.#deps.now()
    if (now - (this.#keptAt.get(key) ?? -Infinity) < record.keepMs * keptPart) return
    await this.#deps.latches.keep(name, stored, timeoutMs)
    if (this.#keptAt.size >= mostKept) this.#keptAt.clear()
    this.#keptAt.set(key, now)
  }

  async #bounded<T>(timeoutMs: number, step: () => Promise<T>): Promise<T> {
    const result = await within(step(), timeoutMs)
    if (result !== timedOut) return result
    throw new UnavailableError(`the store has not replied within ${timeoutMs} ms`)
  }
}

const nobody = { count: 0, some: [] }

const reply = (kind: LatchReply['kind'], { state }: Latch): LatchReply => ({ kind, state })

function waitReply({ state }: Latch, awaited: Awaited | undefined): LatchWaitReply {
  const { generation: present, first, opened } = state
  if (awaited?.isBound === true) {
    const { generation } = awaited
    if (hasOpened(state, generation)) return { kind: 'passed', generation }
    if (!isSet(state) || present !== generation) return { kind: 'gone' }
  } else if (isSet(state)) {
    const wasOpened = awaited && first <= opened && awaited.generation <= opened
    if (isOpen(state) || wasOpened) return { kind: 'passed', generation: opened }
  }
  if (isSet(state)) return { kind: 'closed', awaited: { generation: present, isBound: true } }
  return { kind: 'closed', awaited: { generation: awaited?.generation ?? present + 1, isBound: false } }
}
