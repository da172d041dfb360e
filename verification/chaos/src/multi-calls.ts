import type { Lock, MultiLease, MultiLock } from '@holdfast/core'
import { optionsOf } from './call-options.js'
import type { Holder } from './holder.js'
import type { LockCalls } from './lock-calls.js'
import type { ObservedClient } from './observed-client.js'
import type { ClaimedHold, RecordedCall } from './recorded-call.js'
import type { PlannedCall } from './schedule.js'

/** Calls on multi locks: recorded as a call on each member. */
export class MultiCalls {
  readonly #holder: Holder
  readonly #lockCalls: LockCalls
  /** Which lock an owner holds. */
  readonly #nameOf = new Map<string, string>()
  readonly #callOf = new Map<string, RecordedCall>()

  constructor(holder: Holder, lockCalls: LockCalls) {
    this.#holder = holder
    this.#lockCalls = lockCalls
  }

  /** Records what this client reports of members. */
  watch(client: ObservedClient): void {
    client.on('acquired', ({ name, owner }) => this.#nameOf.set(owner, name))
    client.on('lost', ({ owner }) => this.#callOf.get(owner)?.lost())
  }

  /**
   * @param locks - the members
   * @param calls - one for each of them
   */
  async make(
    multi: MultiLock,
    locks: readonly Lock[],
    calls: readonly RecordedCall[],
    plan: PlannedCall,
    id: string,
  ): Promise<void> {
    const { options, signal, waitMs } = optionsOf(plan)
    for (const call of calls) call.requested(waitMs, plan, undefined, { together: id })
    const inside = (lease: MultiLease) => this.#runInside(lease, locks, calls, plan)
    try {
      if (plan.style === 'withLock') {
        await multi.withLock(options, inside)
      } else {
        const lease = await (plan.style === 'tryLock' ? multi.tryLock(options) : multi.lock(options))
        if (!lease) {
          for (const call of calls) call.refused('timeout', '')
          return
        }
        await lease.run(() => inside(lease))
        await lease.unlock()
      }
      for (const call of calls) call.released()
    } catch (error) {
      for (const call of calls) call.failed(error, signal)
    }
  }

  async #runInside(
    lease: MultiLease,
    locks: readonly Lock[],
    calls: readonly RecordedCall[],
    plan: PlannedCall,
  ): Promise<void> {
    const members = lease.toJSON().owners.map((owner) => viewOf(lease, owner, this.#nameOf.get(owner) ?? ''))
    const leaves = members.flatMap((member) => {
      const at = locks.findIndex(({ name }) => name === member.name)
      const [call, lock] = [calls[at], locks[at]]
      if (!call || !lock) return []
      this.#callOf.set(member.owner, call)
      const entry = { token: lease.fencingToken(lock), count: 1, permits: undefined }
      return [this.#holder.enter(call, member, entry)]
    })
    const [first, ...others] = members
    if (first) await this.#holder.work(first, plan.workMs, others)
    const inner = locks[plan.lock % locks.length]
    if (plan.nested > 0 && inner) await this.#lockCalls.nest(inner, plan)
    for (const leave of leaves) leave()
  }
}

/** One member: it claims what the whole claims. */
function viewOf(lease: MultiLease, owner: string, name: string): ClaimedHold {
  return {
    name,
    owner,
    get isHeld() {
      return lease.isHeld
    },
    assertHeld: () => lease.assertHeld(),
    remainingMs: () => lease.remainingMs(),
    get signal() {
      return lease.signal
    },
  }
}
