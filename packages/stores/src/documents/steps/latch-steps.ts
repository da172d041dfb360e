import {
  hasOpened,
  isOpen,
  isSet,
  type Awaited,
  type CountDownRequest,
  type LatchDeleteRequest,
  type LatchInspection,
  type LatchReply,
  type LatchSetRequest,
  type LatchWaitReply,
} from '@holdfast/core/engine'
import type { LatchRecord } from './latch-state.js'

// The steps of one latch. Each changes the given latch, which was settled before, and is atomic by being synchronous. The
// Lua scripts do the same on Redis; a random comparison holds both to each other.

/** What a step needs besides the latch. */
export interface LatchContext {
  /** The store's clock: an integer of microseconds, the same for all of one step. */
  readonly nowUs: number
  /** Differs after a restart or failover of the store. */
  readonly incarnation: string
  /** Notifies a client that waits. */
  notify(clientId: string, what: 'open' | 'gone', generation: number): void
}

/** Sets the count of a latch that is not set, or that is open. */
export function set(latch: LatchRecord, request: LatchSetRequest, context: LatchContext): LatchReply {
  const { named, setter, count, keepMs } = request
  const { nowUs, incarnation } = context
  if (latch.setter === setter) return reply('done', latch)
  if (latch.generation !== named || (isSet(latch) && !isOpen(latch))) return reply('other', latch)
  const vouches = isSet(latch) && latch.incarnation === incarnation
  const generation = Math.max(nowUs, named + 1)
  Object.assign(latch, { generation, previous: named, left: count, count, keepMs, setter, incarnation })
  if (!vouches) latch.first = generation
  latch.parties.clear()
  latch.untilUs = nowUs + keepMs * 1_000
  return reply('done', latch)
}

/** Counts a party down, and opens the latch with the last one. */
export function countDown(latch: LatchRecord, request: CountDownRequest, context: LatchContext): LatchReply {
  const { named, party } = request
  if (latch.generation !== named || !isSet(latch)) return reply('other', latch)
  if (!isOpen(latch) && !latch.parties.has(party)) {
    latch.parties.add(party)
    latch.left--
  }
  keep(latch, latch.keepMs, context.nowUs)
  if (latch.left === 0 && !isOpen(latch)) {
    latch.opened = latch.generation
    latch.parties.clear()
    tell(latch, 'open', context)
  }
  return reply('done', latch)
}

/** Waits for the latch to open, or goes on waiting. */
export function wait(
  latch: LatchRecord,
  clientId: string,
  awaited: Awaited | undefined,
  aliveMs: number,
  nowUs: number,
): LatchWaitReply {
  if (awaited?.isBound === true) {
    const { generation } = awaited
    if (hasOpened(latch, generation)) return { kind: 'passed', generation }
    if (!isSet(latch) || latch.generation !== generation) return { kind: 'gone' }
  } else if (isSet(latch)) {
    const wasOpened = awaited && latch.first <= latch.opened && awaited.generation <= latch.opened
    if (isOpen(latch) || wasOpened) return { kind: 'passed', generation: latch.opened }
  }
  if (aliveMs > 0) {
    latch.waiters.set(clientId, nowUs + aliveMs * 1_000)
    if (isSet(latch)) keep(latch, Math.max(latch.keepMs, 2 * aliveMs), nowUs)
  }
  if (isSet(latch)) return { kind: 'closed', awaited: { generation: latch.generation, isBound: true } }
  const generation = awaited?.generation ?? Math.max(nowUs, latch.generation + 1)
  return { kind: 'closed', awaited: { generation, isBound: false } }
}

/** Deletes the named generation. It is remembered for a while. */
export function remove(latch: LatchRecord, request: LatchDeleteRequest, context: LatchContext): LatchReply {
  const { named, tombstoneMs } = request
  if (latch.generation !== named) return reply('other', latch)
  if (isSet(latch)) {
    latch.first = named + 1
    latch.left = 0
    latch.parties.clear()
    latch.untilUs = context.nowUs + tombstoneMs * 1_000
    tell(latch, 'gone', context)
  }
  return reply('done', latch)
}

/** Who has counted down, and which clients wait. Changes nothing. */
export function inspectLatch(latch: LatchRecord, limit: number, nowUs: number): LatchInspection {
  return {
    kind: 'latch',
    state: stateOf(latch),
    count: latch.count,
    ttlMs: latch.generation === 0 ? -2 : Math.ceil((latch.untilUs - nowUs) / 1_000),
    parties: [...latch.parties].slice(0, limit),
    waiterCount: latch.waiters.size,
    waiters: [...latch.waiters.keys()].slice(0, limit),
  }
}

function keep(latch: LatchRecord, keepMs: number, nowUs: number): void {
  latch.untilUs = Math.max(latch.untilUs, nowUs + keepMs * 1_000)
}

/** Notifies each client that waits, and forgets it. */
function tell(latch: LatchRecord, what: 'open' | 'gone', context: LatchContext): void {
  for (const clientId of latch.waiters.keys()) context.notify(clientId, what, latch.generation)
  latch.waiters.clear()
}

const stateOf = ({ generation, first, opened, left, previous }: LatchRecord): LatchReply['state'] => ({
  generation,
  first,
  opened,
  left,
  previous,
})

const reply = (kind: LatchReply['kind'], latch: LatchRecord): LatchReply => ({ kind, state: stateOf(latch) })
