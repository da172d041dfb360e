import { HoldfastError, type Holdfast, type Lease, type Lock } from '@holdfast/core'
import { nowMs, type HistoryEvent, type Refusal } from '@holdfast/testkit'
import { setTimeout as passed } from 'node:timers/promises'
import { CallsByOwner } from './calls-by-owner.js'
import { pick } from './pick.js'
import type { PlannedCall } from './schedule.js'

/** How often a holder looks whether it still holds. */
const lookEveryMs = 15

const refusals: Readonly<Record<string, Refusal>> = {
  LOCK_TIMEOUT: 'timeout',
  LOCK_LOST: 'lost',
  UNAVAILABLE: 'unavailable',
  REFUSED: 'refused',
  REPLICATION: 'replication',
  CLOSED: 'closed',
}

/** A way to Redis, and the calls that were made on it. */
interface Line {
  readonly client: Holdfast
  readonly calls: CallsByOwner<RecordedCall>
}

/** Makes the planned calls of one process, and writes down what happens to each. */
export class Player {
  readonly #process: string
  readonly #write: (event: HistoryEvent) => void
  readonly #lines: readonly Line[]
  readonly #leases = new Map<string, Lease>()
  #calls = 0

  /** The n-th lock is reached through the n-th of the clients, modulo their number. */
  constructor(process: string, clients: readonly Holdfast[], write: (event: HistoryEvent) => void) {
    this.#process = process
    this.#write = write
    this.#lines = clients.map((client) => ({ client, calls: new CallsByOwner() }))
    for (const line of this.#lines) this.#watch(line)
  }

  /** Has what this client tells written down. */
  #watch({ client, calls }: Line): void {
    client.on('waiting', ({ name: lock, owner, position }) => {
      calls.find(owner)?.waits(owner)
      if (position > 0) this.#write({ kind: 'queued', atMs: nowMs(), process: this.#process, lock, owner })
    })
    client.on('renewed', ({ owner }) => {
      const lease = this.#leases.get(owner)
      if (lease) this.#look(lease)
    })
  }

  async play(calls: readonly PlannedCall[], locks: readonly string[], startAtMs: number): Promise<void> {
    await Promise.all(
      calls.map(async (plan) => {
        await passed(Math.max(0, startAtMs + plan.startMs - nowMs()))
        const n = plan.lock % locks.length
        const line = pick(this.#lines, n)
        const lock = line.client.getLock(pick(locks, n))
        const call = this.#callOn(lock)
        line.calls.add(call)
        await this.#ask(lock, call, plan, plan.nested)
      }),
    )
  }

  #callOn({ name }: Lock): RecordedCall {
    return new RecordedCall(this.#process, ++this.#calls, name, this.#write)
  }

  /** Calls the lock before anything else runs: {@link CallsByOwner} relies on it. */
  async #ask(lock: Lock, call: RecordedCall, plan: PlannedCall, nested: number): Promise<void> {
    const { waitMs, leaseMs, abortAfterMs, style } = plan
    const signal = abortAfterMs === null ? undefined : AbortSignal.timeout(abortAfterMs)
    const options = {
      leaseMs: leaseMs ?? undefined,
      waitMs: waitMs ?? undefined,
      ...(signal ? { signal } : {}),
    }
    call.asked(style === 'tryLock' ? (waitMs ?? 0) : waitMs, leaseMs, abortAfterMs)
    const inside = (lease: Lease) => this.#beInside(lease, lock, call, plan, nested)
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

  async #beInside(lease: Lease, lock: Lock, call: RecordedCall, plan: PlannedCall, nested: number) {
    call.acquired(lease)
    this.#leases.set(lease.owner, lease)
    const onLost = () => {
      call.lost()
    }
    lease.signal.addEventListener('abort', onLost)
    await this.#work(lease, plan.workMs)
    if (nested > 0) {
      const inner = { ...plan, style: 'withLock', waitMs: null, leaseMs: null, abortAfterMs: null } as const
      await this.#ask(lock, this.#callOn(lock), inner, nested - 1)
    }
    lease.signal.removeEventListener('abort', onLost)
    call.left(lease)
  }

  /** Stays until the time is over or the hold is lost, as a careful holder does. */
  async #work(lease: Lease, workMs: number): Promise<void> {
    const endAtMs = nowMs() + workMs
    for (let leftMs = workMs; leftMs > 0; leftMs = endAtMs - nowMs()) {
      await passed(Math.min(lookEveryMs, leftMs))
      if (!this.#look(lease)) return
    }
  }

  #look(lease: Lease): boolean {
    const atMs = nowMs()
    const claimUntilMs = claimOf(lease, atMs)
    if (claimUntilMs <= atMs) return false
    const { name: lock, owner } = lease
    this.#write({ kind: 'confirmed', atMs, process: this.#process, lock, owner, claimUntilMs })
    return true
  }
}

/** Until when the lease claims to hold, asked at `atMs`. Whoever says it holds says so for a millisecond at least. */
function claimOf(lease: Lease, atMs: number): number {
  const remainingMs = Math.max(1, lease.remainingMs())
  return lease.isHeld ? atMs + remainingMs : atMs
}

/** Writes one call's events; a loss only once, however often it is told. */
class RecordedCall {
  readonly #of: { readonly process: string; readonly call: string; readonly lock: string }
  readonly #write: (event: HistoryEvent) => void
  #owner: string | null = null
  #isIn = false
  #isLost = false

  constructor(process: string, n: number, lock: string, write: (event: HistoryEvent) => void) {
    this.#of = { process, call: `${process}.${n}`, lock }
    this.#write = write
  }

  asked(waitMs: number | null, leaseMs: number | null, abortAfterMs: number | null): void {
    const atMs = nowMs()
    const abort = abortAfterMs === null ? {} : { abortAtMs: atMs + abortAfterMs }
    this.#write({
      kind: 'asked',
      atMs,
      ...this.#of,
      waitMs,
      ...abort,
      ...(leaseMs === null ? {} : { leaseMs }),
    })
  }

  waits(owner: string): void {
    this.#owner = owner
  }

  acquired(lease: Lease): void {
    const atMs = nowMs()
    const claimUntilMs = claimOf(lease, atMs)
    const { owner, fencingToken: token, holdCount: count } = lease
    this.#owner = owner
    this.#isIn = true
    this.#write({ kind: 'acquired', atMs, ...this.#of, owner, token, count, claimUntilMs })
  }

  left(lease: Lease): void {
    const { owner } = lease
    if (lease.isHeld) this.#write({ kind: 'left', atMs: nowMs(), ...this.#of, owner })
    else if (lease.signal.aborted) this.lost()
    else this.#write({ kind: 'untold', atMs: nowMs(), ...this.#of, owner })
  }

  lost(): void {
    if (this.#isLost || this.#owner === null) return
    this.#isLost = true
    this.#write({ kind: 'lost', atMs: nowMs(), ...this.#of, owner: this.#owner })
  }

  released(): void {
    if (this.#owner === null) return
    this.#write({ kind: 'released', atMs: nowMs(), ...this.#of, owner: this.#owner })
  }

  refused(reason: Refusal, message: string): void {
    this.#write({ kind: 'refused', atMs: nowMs(), ...this.#of, reason, owner: this.#owner, message })
  }

  failed(error: unknown, signal: AbortSignal | undefined): void {
    const known = error instanceof HoldfastError ? error : null
    const reason = (known && refusals[known.code]) ?? (error === signal?.reason ? 'aborted' : 'other')
    this.#owner ??= known?.owner ?? null
    if (reason === 'lost' && this.#isIn) this.lost()
    else this.refused(reason, String(error))
  }
}
