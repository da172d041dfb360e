/** What a fault outside the promises of the contract may excuse. Nothing excuses anything else. */
export type Excuse = 'exclusion' | 'tokens'

/** Why a request ended without a hold. */
export type Refusal =
  | 'timeout'
  | 'aborted'
  | 'unavailable'
  | 'replication'
  | 'refused'
  | 'lost'
  | 'closed'
  /** A reader asked for the write lock. */
  | 'upgrade'
  /** The latch was deleted or lost, or has no count. */
  | 'gone'
  | 'other'

interface At {
  /** Milliseconds on the machine-wide monotonic clock ({@link nowMs}), so that all processes share one axis. */
  readonly atMs: number
}

/** Something that one call on one lock, or another object, in one process did. */
interface OfCall extends At {
  readonly process: string
  /** One acquisition call; unique in the history. */
  readonly call: string
  readonly lock: string
}

export type HistoryEvent =
  /** An object has so many permits in all, as its clients know it. Absent: 1, like every lock. */
  | (At & { readonly kind: 'sized'; readonly lock: string; readonly size: number })
  /** A call was made to change that, for so long. */
  | (OfCall & { readonly kind: 'resizing'; readonly size: number; readonly keepMs: number })
  /** It was acknowledged. One that failed is `refused`, and may have changed the size even so. */
  | (OfCall & { readonly kind: 'resized' })
  /**
   * A call was made. `waitMs`: its wait limit; `null`: none. `abortAtMs`: when its signal aborts; absent: never.
   * `leaseMs`: its fixed lease; absent: its hold is renewed for as long as it is needed. `permits`: how many it wants;
   * absent: 1. `together`: calls with the same one are the members of one call, which gets all of them or none. `atLeastMs`: its release
   * keeps the lock until so long after the grant. `handsOverMs`: in place of a release it hands the lock over, for so long. `ticketOf`:
   * it takes over what that call has handed over.
   */
  | (OfCall & {
      readonly kind: 'requested'
      readonly waitMs: number | null
      readonly abortAtMs?: number
      readonly leaseMs?: number
      readonly permits?: number
      readonly together?: string
      readonly atLeastMs?: number
      readonly handsOverMs?: number
      readonly ticketOf?: string
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
   * claimed to hold when asked now; `null` for locks that know no deadline: they claim until they leave. `permits`: how
   * many this entry needs; absent: 1. A hold needs as many as that of its open entries which needs most.
   */
  | (OfCall & {
      readonly kind: 'acquired'
      readonly owner: string
      readonly token: number | null
      readonly count: number
      readonly claimUntilMs: number | null
      readonly permits?: number
    })
  /** The holder is about to give back some of its permits: it uses no more than these. */
  | (OfCall & { readonly kind: 'lowered'; readonly owner: string; readonly permits: number })
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
  /** A call was made to set the count of a latch. */
  | (OfCall & { readonly kind: 'setting'; readonly parties: number })
  /** It was acknowledged. `isSet`: this call set it. */
  | (OfCall & { readonly kind: 'set'; readonly isSet: boolean })
  /** A call was made to count down. `party`: its name; `null`: a party of its own. */
  | (OfCall & { readonly kind: 'counting'; readonly party: string | null })
  /** It was acknowledged: so many are left. */
  | (OfCall & { readonly kind: 'counted-down'; readonly left: number })
  | (OfCall & { readonly kind: 'deleting' })
  | (OfCall & { readonly kind: 'deleted' })
  /** A wait, which was `requested`, ended since the latch was open. */
  | (OfCall & { readonly kind: 'passed' })
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
  /** A client of the process says that it lost its connection to the store, or its session there, whatever the reason. */
  | (At & { readonly kind: 'disconnected'; readonly process: string })
  /** At rest: a hold's count, or its permits, as its client knows them, and as the server has them. */
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
