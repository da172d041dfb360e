import type { Channels } from '../channels/channels.js'
import type { EngineSession } from '../engine/session.js'
import type { LockSteps } from '../engine/lock-steps.js'
import type { Closing } from '../errors/closing.js'
import { LockLostError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import type { Hold } from '../holding/hold.js'
import type { LeaseHandle } from '../holding/lease-set.js'
import type { Frames } from '../ownership/frames.js'
import type { Possession } from '../ownership/possession.js'
import type { Request } from '../options/options.js'
import type { Target } from '../ownership/target.js'
import type { Acquirer } from '../waiting/acquisition.js'
import { onAbort } from '../util/abort.js'
import type { ReenteringDeps } from '../waiting/re-entering.js'

/** The lease of one member, as far as the whole needs to know it. */
export interface MemberLease extends LeaseHandle {
  /** Aborts when the hold is lost. */
  readonly signal: AbortSignal
  unlock(): Promise<void>
}

/** What composing needs of the client of a member. */
export interface MemberClient<L extends MemberLease> extends ReenteringDeps {
  readonly session: EngineSession
  readonly steps: LockSteps
  readonly frames: Frames<Possession<L>>
  readonly events: Pick<Events, 'warn'>
  readonly acquirer: Acquirer<L>
  readonly closing: Closing
  readonly channels: Channels | undefined
}

/** One of the locks that are acquired together. */
export interface Member<L extends MemberLease> {
  readonly client: MemberClient<L>
  readonly target: Target
  readonly wantsToken: boolean
  /** Whether it may re-enter, unless the call or the multi lock says otherwise. */
  readonly reentrant: boolean
}

/** Whether a call re-enters what its caller holds of it. */
export const mayReenter = <L extends MemberLease>({ reentrant }: Member<L>, request: Request): boolean =>
  request.reentrant ?? reentrant

/** A member that was entered. */
export interface HeldMember<L extends MemberLease> {
  readonly member: Member<L>
  readonly hold: Possession<L>
  readonly lease: L
  /** The same hold if it was acquired for the whole, and not by an enclosing call. */
  readonly own: Hold<L> | undefined
}

/** Calls back when the hold of this member is lost, at once if it is; returns a function that stops that. */
export function listenForLoss<L extends MemberLease>(
  { lease: { signal } }: HeldMember<L>,
  callback: (error: LockLostError) => void,
): () => void {
  const report = (): void => {
    if (signal.reason instanceof LockLostError) callback(signal.reason)
  }
  const stop = onAbort(signal, report)
  if (signal.aborted) report()
  return stop
}
