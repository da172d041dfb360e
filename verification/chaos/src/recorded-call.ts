import { HoldfastError, LockLostError, type BaseLease } from '@holdfast/core'
import { nowMs, type HistoryEvent, type Refusal } from '@holdfast/testkit/process'
import type { PlannedCall } from './schedule.js'

const refusals: Readonly<Record<string, Refusal>> = {
  LOCK_TIMEOUT: 'timeout',
  LOCK_LOST: 'lost',
  UNAVAILABLE: 'unavailable',
  REFUSED: 'refused',
  REPLICATION: 'replication',
  CLOSED: 'closed',
  UPGRADE: 'upgrade',
  LATCH_GONE: 'gone',
}

/** One hold as its lease reports it; of a multi lock one for each member. */
export type ClaimedHold = Pick<
  BaseLease,
  'name' | 'owner' | 'isHeld' | 'remainingMs' | 'signal' | 'assertHeld'
>

/** Until when the lease claims to hold, as of `atMs`. A lease that claims to hold does so for at least a millisecond. */
export function claimOf(lease: ClaimedHold, atMs: number): number {
  const remainingMs = Math.max(1, lease.remainingMs())
  return lease.isHeld ? atMs + remainingMs : atMs
}

/** Whether the machine may have slept, and the store has not yet said whether the hold goes on. */
function isInDoubt(lease: ClaimedHold): boolean {
  try {
    lease.assertHeld()
    return false
  } catch (error) {
    return error instanceof LockLostError && error.reason === 'suspended'
  }
}

/** What a lease does not say of itself, or only some do. `permits`: `undefined` for a lock. */
export interface Entry {
  readonly token: number | null
  readonly count: number
  readonly permits: number | undefined
}

type Own<E> = E extends unknown ? Omit<E, 'atMs' | 'process' | 'call' | 'lock'> : never
type LatchStep = Own<Extract<HistoryEvent, { readonly kind: 'setting' | 'counting' | 'deleting' }>>
type LatchEnd = Own<Extract<HistoryEvent, { readonly kind: 'set' | 'counted-down' | 'deleted' | 'passed' }>>

/** Writes one call's events; a loss only once, however often it is reported. */
export class RecordedCall {
  readonly #of: { readonly process: string; readonly call: string; readonly lock: string }
  readonly #write: (event: HistoryEvent) => void
  #owner: string | null = null
  #isIn = false
  #isLost = false

  constructor(process: string, n: number, lock: string, write: (event: HistoryEvent) => void) {
    this.#of = { process, call: `${process}.${n}`, lock }
    this.#write = write
  }

  /** Unique in the history. */
  get id(): string {
    return this.#of.call
  }

  requested(
    waitMs: number | null,
    plan: Pick<PlannedCall, 'leaseMs' | 'abortAfterMs' | 'atLeastMs' | 'handsOver'>,
    permits: number | undefined,
    of: { readonly together?: string; readonly ticketOf?: string } = {},
  ): void {
    const { leaseMs, abortAfterMs, atLeastMs, handsOver } = plan
    const atMs = nowMs()
    const abort = abortAfterMs === null ? {} : { abortAtMs: atMs + abortAfterMs }
    this.#write({
      kind: 'requested',
      atMs,
      ...this.#of,
      waitMs,
      ...abort,
      ...(leaseMs === null ? {} : { leaseMs }),
      ...(permits === undefined ? {} : { permits }),
      ...(atLeastMs === undefined ? {} : { atLeastMs }),
      ...(handsOver === undefined ? {} : { handsOverMs: handsOver.withinMs }),
      ...of,
    })
  }

  waiting(owner: string): void {
    this.#owner = owner
  }

  acquired(lease: ClaimedHold, { token, count, permits }: Entry): void {
    const atMs = nowMs()
    const claimUntilMs = claimOf(lease, atMs)
    const { owner } = lease
    const needs = permits === undefined ? {} : { permits }
    this.#owner = owner
    this.#isIn = true
    this.#write({ kind: 'acquired', atMs, ...this.#of, owner, token, count, claimUntilMs, ...needs })
  }

  lowered({ owner }: ClaimedHold, permits: number): void {
    this.#write({ kind: 'lowered', atMs: nowMs(), ...this.#of, owner, permits })
  }

  resizing(size: number, keepMs: number): void {
    this.#write({ kind: 'resizing', atMs: nowMs(), ...this.#of, size, keepMs })
  }

  resized(): void {
    this.#write({ kind: 'resized', atMs: nowMs(), ...this.#of })
  }

  /** A step of a latch began. */
  began(step: LatchStep): void {
    this.#write({ atMs: nowMs(), ...this.#of, ...step })
  }

  /** It was acknowledged, or the wait for it passed. */
  done(end: LatchEnd): void {
    this.#write({ atMs: nowMs(), ...this.#of, ...end })
  }

  left(lease: ClaimedHold): void {
    const { owner } = lease
    if (lease.isHeld || isInDoubt(lease)) this.#write({ kind: 'left', atMs: nowMs(), ...this.#of, owner })
    else if (lease.signal.aborted) this.lost()
    else this.#write({ kind: 'loss-found', atMs: nowMs(), ...this.#of, owner })
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
