/** What a fault outside the promises of the contract may excuse. Nothing excuses anything else. */
export type Excuse = 'exclusion' | 'tokens'

/** Why an ask ended without a hold. */
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
   * A call was made. `waitMs`: how long it is ready to wait; `null` without an end. `abortAtMs`: when its signal aborts;
   * absent: never. `leaseMs`: the fixed lease it wants; absent: its hold is renewed for as long as it is needed.
   */
  | (OfCall & {
      readonly kind: 'asked'
      readonly waitMs: number | null
      readonly abortAtMs?: number
      readonly leaseMs?: number
    })
  /** An owner has its place in the queue. Told by the library without the call it belongs to. */
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
  /** The holder asked again, and this is until when the library claims to hold. Only while `isHeld`. */
  | (At & {
      readonly kind: 'confirmed'
      readonly process: string
      readonly lock: string
      readonly owner: string
      readonly claimUntilMs: number
    })
  /** The holder is about to leave: it touches the protected thing no more. */
  | (OfCall & { readonly kind: 'left'; readonly owner: string })
  /** Its unlock was answered. */
  | (OfCall & { readonly kind: 'released'; readonly owner: string })
  /** The holder was told that the hold is lost: by its signal, or by an error. */
  | (OfCall & { readonly kind: 'lost'; readonly owner: string })
  /** The holder asked whether it still holds, and does not; its signal had not said so. */
  | (OfCall & { readonly kind: 'untold'; readonly owner: string })
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
  /** The process was killed, and is gone by this instant. */
  | (At & { readonly kind: 'killed'; readonly process: string })
  /** A process's event loop stood still for so long, up to now, without anybody's order. */
  | (At & { readonly kind: 'stalled'; readonly process: string; readonly stalledMs: number })
  /** While all was quiet: a hold's count as its client knows it, and as the server has it. */
  | (At & {
      readonly kind: 'counted'
      readonly lock: string
      readonly owner: string
      readonly atClient: number
      readonly atServer: number
    })
  /** Found at the end, when nothing should be there any more. */
  | (At & { readonly kind: 'leftover'; readonly lock: string; readonly what: string })

/** The clock of histories: the same for all processes of one machine, and never set. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
