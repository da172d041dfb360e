import type { Lease, Lock } from '@holdfast/core'
import type { Holder } from './holder.js'
import { sizeOf } from './objects.js'
import { optionsOf, type CallOptions } from './call-options.js'
import type { ObservedClient } from './observed-client.js'
import type { Entry, RecordedCall } from './recorded-call.js'
import type { PlannedCall, PlannedTaker } from './schedule.js'

/** The sides of a read/write lock; both are the same for a lock. */
export interface Sides {
  readonly read: Lock
  readonly write: Lock
}

/** By which a lock that one call has handed over is taken over. */
export interface Ticket {
  readonly lock: string
  /** The call. */
  readonly by: string
  readonly ticket: string
  readonly takers: readonly PlannedTaker[]
}

/** Calls on locks and read/write locks. */
export class LockCalls {
  readonly #holder: Holder
  readonly #newCall: (name: string) => RecordedCall

  readonly #give: (ticket: Ticket) => void

  constructor(holder: Holder, newCall: (name: string) => RecordedCall, give: (ticket: Ticket) => void) {
    this.#holder = holder
    this.#newCall = newCall
    this.#give = give
  }

  /** Calls the lock synchronously, before anything else runs: the calls of a client are found by their order. */
  async make(client: ObservedClient, sides: Sides, call: RecordedCall, plan: PlannedCall): Promise<void> {
    const { side = 'write' } = plan
    if (plan.downgrades && side === 'write') await client.scope(() => this.#downgrade(sides, call, plan))
    else await this.#acquire(sides, side, call, plan, plan.nested)
  }

  /** Enters a lock inside its hold. */
  async nest(lock: Lock, plan: PlannedCall): Promise<void> {
    const call = this.#newCall(lock.name)
    await this.#acquire(
      { read: lock, write: lock },
      'write',
      call,
      { ...plan, ...unlimited },
      plan.nested - 1,
    )
  }

  async #acquire(
    sides: Sides,
    side: 'read' | 'write',
    call: RecordedCall,
    plan: PlannedCall,
    nested: number,
  ): Promise<void> {
    const lock = sides[side]
    const given = optionsOf(plan)
    request(call, lock, plan, given)
    const inside = (lease: Lease) => this.#runInside(lease, sides, call, plan, nested)
    try {
      if (plan.style === 'withLock') {
        await lock.withLock(given.options, inside)
        call.released()
        return
      }
      const lease = await acquireFrom(lock, plan, given)
      if (!lease) {
        call.refused('timeout', '')
        return
      }
      await lease.run(() => inside(lease))
      await this.#end(lease, call, plan)
    } catch (error) {
      call.failed(error, given.signal)
    }
  }

  async #end(lease: Lease, call: RecordedCall, { handsOver }: PlannedCall): Promise<void> {
    if (!handsOver) {
      await lease.unlock()
      call.released()
      return
    }
    const { withinMs, takers } = handsOver
    const ticket = await lease.handOver({ withinMs })
    call.released()
    this.#give({ lock: lease.name, by: call.id, ticket, takers })
  }

  async takeOver(
    lock: Lock,
    call: RecordedCall,
    { by, ticket }: Pick<Ticket, 'by' | 'ticket'>,
    { leaseMs, workMs }: PlannedTaker,
  ): Promise<void> {
    call.requested(0, { leaseMs, abortAfterMs: null }, permitsOf(lock), { ticketOf: by })
    try {
      const lease = await lock.takeOver(ticket, { leaseMs: leaseMs ?? undefined })
      if (!lease) {
        call.refused('timeout', '')
        return
      }
      const leave = this.#holder.enter(call, lease, entryOf(lease))
      await this.#holder.work(lease, workMs)
      leave()
      await lease.unlock()
      call.released()
    } catch (error) {
      call.failed(error, undefined)
    }
  }

  async #runInside(lease: Lease, sides: Sides, call: RecordedCall, plan: PlannedCall, nested: number) {
    const leave = this.#holder.enter(call, lease, entryOf(lease))
    await this.#holder.work(lease, plan.workMs)
    if (nested > 0) {
      const { nestedSide = 'write' } = plan
      const inner = this.#newCall(lease.name)
      await this.#acquire(sides, nestedSide, inner, { ...plan, ...unlimited }, nested - 1)
    }
    leave()
  }

  /** Inside a scope: the writer takes the read lock too, and leaves the write lock first. */
  async #downgrade(sides: Sides, call: RecordedCall, plan: PlannedCall): Promise<void> {
    const given = optionsOf(plan)
    const inner = this.#newCall(sides.read.name)
    request(call, sides.write, plan, given)
    let read: Lease | null = null
    try {
      const write = await acquireFrom(sides.write, plan, given)
      if (!write) {
        call.refused('timeout', '')
        return
      }
      const leaveWrite = this.#holder.enter(call, write, entryOf(write))
      await this.#holder.work(write, plan.workMs / 2)
      read = await this.#read(sides, inner, plan)
      const leaveRead = read && this.#holder.enter(inner, read, entryOf(read))
      leaveWrite()
      await write.unlock()
      call.released()
      if (!read || !leaveRead) return
      await this.#holder.work(read, plan.workMs / 2)
      leaveRead()
    } catch (error) {
      call.failed(error, given.signal)
    }
    try {
      await read?.unlock()
      if (read) inner.released()
    } catch (error) {
      inner.failed(error, undefined)
    }
  }

  /** `null`: refused, which is recorded. */
  async #read(sides: Sides, call: RecordedCall, plan: PlannedCall): Promise<Lease | null> {
    const given = optionsOf({ ...plan, ...unlimited })
    request(call, sides.read, { ...plan, ...unlimited }, given)
    try {
      return await sides.read.lock(given.options)
    } catch (error) {
      call.failed(error, given.signal)
      return null
    }
  }
}

/** A nested call has no limits. */
const unlimited = {
  style: 'withLock',
  waitMs: null,
  leaseMs: null,
  abortAfterMs: null,
  atLeastMs: undefined,
  handsOver: undefined,
} as const

function request(call: RecordedCall, lock: Lock, plan: PlannedCall, { waitMs }: CallOptions): void {
  call.requested(waitMs, plan, permitsOf(lock))
}

function acquireFrom(lock: Lock, { style }: PlannedCall, { options }: CallOptions): Promise<Lease | null> {
  return style === 'tryLock' ? lock.tryLock(options) : lock.lock(options)
}

function entryOf(lease: Lease): Entry {
  const { fencingToken: token, holdCount: count } = lease
  return { token, count, permits: permitsOf(lease) }
}

/** `undefined` for a lock. */
function permitsOf({ kind }: Pick<Lock | Lease, 'kind'>): number | undefined {
  if (kind === 'lock') return undefined
  return kind === 'read-lock' ? 1 : sizeOf['read-write-lock']
}
