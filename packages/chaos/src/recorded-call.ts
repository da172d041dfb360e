import { HoldfastError, type Lease } from '@holdfast/core'
import { nowMs, type HistoryEvent, type Refusal } from '@holdfast/testkit'

const refusals: Readonly<Record<string, Refusal>> = {
  LOCK_TIMEOUT: 'timeout',
  LOCK_LOST: 'lost',
  UNAVAILABLE: 'unavailable',
  REFUSED: 'refused',
  REPLICATION: 'replication',
  CLOSED: 'closed',
}

/** Until when the lease claims to hold, as of `atMs`. A lease that claims to hold does so for at least a millisecond. */
export function claimOf(lease: Lease, atMs: number): number {
  const remainingMs = Math.max(1, lease.remainingMs())
  return lease.isHeld ? atMs + remainingMs : atMs
}

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

  requested(waitMs: number | null, leaseMs: number | null, abortAfterMs: number | null): void {
    const atMs = nowMs()
    const abort = abortAfterMs === null ? {} : { abortAtMs: atMs + abortAfterMs }
    this.#write({
      kind: 'requested',
      atMs,
      ...this.#of,
      waitMs,
      ...abort,
      ...(leaseMs === null ? {} : { leaseMs }),
    })
  }

  waiting(owner: string): void {
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
