import { UnavailableError } from '../errors/errors.js'
import type { StoreSilence } from '../errors/store-silence.js'
import type { Request } from '../options/options.js'
import type { Possession } from '../ownership/possession.js'
import type { Target } from '../ownership/target.js'
import type { Background } from '../util/background.js'
import { isTimeUp, monotonicMs } from '../util/clock.js'
import { timedOut, withTimeout } from '../util/with-timeout.js'
import { notReplied } from './outcome.js'
import type { NotAcquired } from './outcome.js'
import { notReached } from './wording.js'

/** What entering a hold once more needs of the client. */
export interface ReenteringDeps {
  readonly settings: {
    readonly engine: string
    /** How messages name the store. */
    readonly storeName: string
    readonly commandTimeoutMs: number
  }
  readonly background: Pick<Background, 'run'>
  readonly silence: Pick<StoreSilence, 'errorSince' | 'isOutage'>
}

/**
 * Enters a hold once more, on time even behind a slow command of the same hold; a lease that comes too late is left again.
 * `null` when the hold was released before this call's turn came, `NotAcquired` when the call did not wait for the reply.
 */
export async function reenter<L extends { unlock(): Promise<void> }>(
  deps: ReenteringDeps,
  hold: Possession<L>,
  target: Target,
  request: Request,
  wantsToken: boolean,
): Promise<L | NotAcquired | null> {
  const startedAt = monotonicMs()
  const entering = hold.enter(target, request, wantsToken)
  const limitMs = limitOf(request, deps.settings)
  try {
    const lease = await withTimeout(entering, limitMs, request.signal)
    if (lease !== timedOut) return lease
    const details = { lockName: target.address.name, owner: hold.owner }
    throw notReached(target, deps.settings, limitMs, deps.silence.errorSince(startedAt), details)
  } catch (error) {
    deps.background.run(leaveLate(entering))
    const isLate = error instanceof UnavailableError && isTimeUp(startedAt + limitMs)
    if (!isLate || request.waitMs === 0 || deps.silence.isOutage(startedAt)) throw error
    return notReplied(target, hold.owner, Math.round(monotonicMs() - startedAt))
  }
}

/** How long a call may take in all: a single attempt one command's time. */
export const limitOf = (
  { waitMs }: Request,
  { commandTimeoutMs }: { readonly commandTimeoutMs: number },
): number => (waitMs === 0 ? commandTimeoutMs : waitMs)

/** The caller has its error already, so no caller is left to receive a failure. */
async function leaveLate(entering: Promise<{ unlock(): Promise<void> } | null>): Promise<void> {
  try {
    await (await entering)?.unlock()
  } catch {
    // The hold is lost or the entry failed: nothing was entered.
  }
}
