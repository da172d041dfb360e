import type { Holdfast, Lease, Lock } from '@holdfast/core'
import { nowMs, type HistoryEvent } from '@holdfast/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { CallsByOwner } from './calls-by-owner.js'
import { pickCyclic } from './pick-cyclic.js'
import { claimOf, RecordedCall } from './recorded-call.js'
import type { PlannedCall } from './schedule.js'

/** How often a holder checks that it still holds. */
const confirmEveryMs = 15

/** One client, and the calls that were made through it. */
interface ClientCalls {
  readonly client: Holdfast
  readonly calls: CallsByOwner<RecordedCall>
}

/** Makes the planned calls of one process and records what happens to each. */
export class CallRunner {
  readonly #process: string
  readonly #write: (event: HistoryEvent) => void
  readonly #clients: readonly ClientCalls[]
  readonly #leases = new Map<string, Lease>()
  #calls = 0

  /** The n-th lock is reached through the n-th of the clients, modulo their number. */
  constructor(process: string, clients: readonly Holdfast[], write: (event: HistoryEvent) => void) {
    this.#process = process
    this.#write = write
    this.#clients = clients.map((client) => ({ client, calls: new CallsByOwner() }))
    for (const each of this.#clients) this.#watch(each)
  }

  /** Records what this client reports. */
  #watch({ client, calls }: ClientCalls): void {
    client.on('waiting', ({ name: lock, owner, position }) => {
      calls.find(owner)?.waiting(owner)
      if (position > 0) this.#write({ kind: 'queued', atMs: nowMs(), process: this.#process, lock, owner })
    })
    client.on('renewed', ({ owner }) => {
      const lease = this.#leases.get(owner)
      if (lease) this.#confirm(lease)
    })
  }

  async run(planned: readonly PlannedCall[], locks: readonly string[], startAtMs: number): Promise<void> {
    await Promise.all(
      planned.map(async (plan) => {
        await sleep(Math.max(0, startAtMs + plan.startMs - nowMs()))
        const n = plan.lock % locks.length
        const { client, calls } = pickCyclic(this.#clients, n)
        const lock = client.getLock(pickCyclic(locks, n))
        const call = this.#callOn(lock)
        calls.add(call)
        await this.#acquire(lock, call, plan, plan.nested)
      }),
    )
  }

  #callOn({ name }: Lock): RecordedCall {
    return new RecordedCall(this.#process, ++this.#calls, name, this.#write)
  }

  /** Calls the lock synchronously, before anything else runs: {@link CallsByOwner} relies on that. */
  async #acquire(lock: Lock, call: RecordedCall, plan: PlannedCall, nested: number): Promise<void> {
    const { waitMs, leaseMs, abortAfterMs, style } = plan
    const signal = abortAfterMs === null ? undefined : AbortSignal.timeout(abortAfterMs)
    const options = {
      leaseMs: leaseMs ?? undefined,
      waitMs: waitMs ?? undefined,
      ...(signal ? { signal } : {}),
    }
    call.requested(style === 'tryLock' ? (waitMs ?? 0) : waitMs, leaseMs, abortAfterMs)
    const inside = (lease: Lease) => this.#runInside(lease, lock, call, plan, nested)
    try {
      if (style === 'withLock') {
        await lock.withLock(options, inside)
        call.released()
        return
      }
      const lease = style === 'lock' ? await lock.lock(options) : await lock.tryLock(options)
      if (!lease) {
        call.refused('timeout', '')
        return
      }
      await lease.run(() => inside(lease))
      await lease.unlock()
      call.released()
    } catch (error) {
      call.failed(error, signal)
    }
  }

  async #runInside(lease: Lease, lock: Lock, call: RecordedCall, plan: PlannedCall, nested: number) {
    call.acquired(lease)
    this.#leases.set(lease.owner, lease)
    const onLost = () => {
      call.lost()
    }
    lease.signal.addEventListener('abort', onLost)
    await this.#work(lease, plan.workMs)
    if (nested > 0) {
      const inner = { ...plan, style: 'withLock', waitMs: null, leaseMs: null, abortAfterMs: null } as const
      await this.#acquire(lock, this.#callOn(lock), inner, nested - 1)
    }
    lease.signal.removeEventListener('abort', onLost)
    call.left(lease)
  }

  /** Works until the time is up or the hold is lost, as a careful holder does. */
  async #work(lease: Lease, workMs: number): Promise<void> {
    const endAtMs = nowMs() + workMs
    for (let leftMs = workMs; leftMs > 0; leftMs = endAtMs - nowMs()) {
      await sleep(Math.min(confirmEveryMs, leftMs))
      if (!this.#confirm(lease)) return
    }
  }

  #confirm(lease: Lease): boolean {
    const atMs = nowMs()
    const claimUntilMs = claimOf(lease, atMs)
    if (claimUntilMs <= atMs) return false
    const { name: lock, owner } = lease
    this.#write({ kind: 'confirmed', atMs, process: this.#process, lock, owner, claimUntilMs })
    return true
  }
}
