/** What a fault outside the promises of the contract may excuse. Nothing excuses anything else. */
export type Excuse = 'exclusion' | 'tokens'

/** Why a request ended without a hold. */
export type Refusal =
  'timeout' | 'aborted' | 'unavailable' | 'replication' | 'refused' | 'lost' | 'closed' | 'other'

interface At {
  /** Milliseconds on the machine-wide monotonic clock ({@link nowMs}), so that all processes share one axis. */
  readonly atMs: number
}

/** Something that one call on one lock in one process did. */
interface OfCall extends At {
  readonly process: string
  /** One acquisition call; unique in the history. */
  readonly call: string
  readonly lock: string
}

export type HistoryEvent =
  /**
   * A call was made. `waitMs`: its wait limit; `null`: none. `abortAtMs`: when its signal aborts; absent: never.
   * `leaseMs`: its fixed lease; absent: its hold is renewed for as long as it is needed.
   */
  | (OfCall & {
      readonly kind: 'requested'
      readonly waitMs: number | null
      readonly abortAtMs?: number
      readonly leaseMs?: number
    })
  /** An owner has a queue entry. The library reports it without the call that it belongs to. */
  | (At & {
      readonly kind: 'queued'
      readonly process: string
      readonly lock: string
      readonly owner: string
    })
  /**
   * The caller has its lease. `count` above 1 is a re-entry. `claimUntilMs`: the instant until which the library
   * claimed to hold when asked now; `null` for locks that know no deadline: they claim until they leave.
   */
  | (OfCall & {
      readonly kind: 'acquired'
      readonly owner: string
      readonly token: number | null
      readonly count: number
      readonly claimUntilMs: number | null
    })
  /** The holder checked again, and this is until when the library claims to hold. Only while `isHeld`. */
  | (At & {
      readonly kind: 'confirmed'
      readonly process: string
      readonly lock: string
      readonly owner: string
      readonly claimUntilMs: number
    })
  /** The holder is about to leave: it no longer uses the protected resource. */
  | (OfCall & { readonly kind: 'left'; readonly owner: string })
  /** Its unlock was acknowledged. */
  | (OfCall & { readonly kind: 'released'; readonly owner: string })
  /** The loss of the hold was reported to the holder: by its signal, or by an error. */
  | (OfCall & { readonly kind: 'lost'; readonly owner: string })
  /** The holder checked and found that it no longer holds, although its signal had not aborted. */
  | (OfCall & { readonly kind: 'loss-found'; readonly owner: string })
  /** The call ended without a lease. `owner`, where the error names it. */
  | (OfCall & {
      readonly kind: 'refused'
      readonly reason: Refusal
      readonly owner: string | null
      readonly message: string
    })
  /**
   * A fault begins. `disturbs`: processes whose waiters may lose their turn until it is healed and recovered from.
   * `excuses`: what it may break. Both in the locks named, or in all.
   */
  | (At & {
      readonly kind: 'fault'
      readonly id: string
      readonly fault: string
      readonly disturbs: readonly string[] | 'all'
      readonly excuses: readonly Excuse[]
      readonly locks: readonly string[] | 'all'
    })
  | (At & { readonly kind: 'healed'; readonly id: string })
  /** The process was killed, and has ended by this instant. */
  | (At & { readonly kind: 'killed'; readonly process: string })
  /** A process's event loop stalled for this long, until now, not caused by an injected fault. */
  | (At & { readonly kind: 'stalled'; readonly process: string; readonly stalledMs: number })
  /** At rest: a hold's count as its client knows it, and as the server has it. */
  | (At & {
      readonly kind: 'counted'
      readonly lock: string
      readonly owner: string
      readonly atClient: number
      readonly atServer: number
    })
  /** Found at the end, when nothing should remain. */
  | (At & { readonly kind: 'leftover'; readonly lock: string; readonly what: string })

/** The clock of histories: the same for all processes of one machine, and never set. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
