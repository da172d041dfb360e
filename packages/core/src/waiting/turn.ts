import { isShared, titleOf } from '../engine/requests.js'
import type { Target } from '../engine/requests.js'
import { UnavailableError } from '../errors/errors.js'
import type { StoreSilence } from '../errors/store-silence.js'
import type { Events } from '../events/events.js'
import { upgradeRefused } from '../holding/loss.js'
import type { Request } from '../options/options.js'
import { callSite, framesOf } from '../ownership/call-site.js'
import type { CallSite } from '../ownership/call-site.js'
import type { Frames } from '../ownership/frames.js'
import type { Possession } from '../ownership/possession.js'
import type { Body } from '../ownership/turns.js'
import type { Background } from '../util/background.js'
import { isTimeUp, monotonicMs } from '../util/clock.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import { notReached, notReplied } from './outcome.js'
import type { NotAcquired } from './outcome.js'

type AnyHold = Pick<Possession<never>, 'address' | 'owner' | 'isOver' | 'loss' | 'bodies'>

/** Joins the bodies of a hold. Throws `UpgradeError` if two readers would wait for each other to write. */
export function joinTurns<P extends AnyHold>(
  frames: Frames<P>,
  hold: P,
  target: Target,
  call: CallSite | undefined,
): Body {
  const body = frames.joinHold(hold, isShared(target), call)
  if (!body) throw upgradeRefused(target, hold.owner)
  return body
}

/**
 * Waits for the turn of a body, on time; a single attempt does not wait. A hold that is lost or released keeps no one waiting.
 *
 * @param startedAt - when the caller began to wait
 * @returns why its turn did not come
 */
export async function untilTurn(
  body: Body,
  hold: AnyHold,
  target: Target,
  { waitMs, signal }: Request,
  startedAt: number,
): Promise<NotAcquired | undefined> {
  const { ready } = body
  if (!ready || hold.loss) return undefined
  signal?.throwIfAborted()
  const leftMs = Math.max(0, Math.ceil(startedAt + waitMs - monotonicMs()))
  const isLate = leftMs === 0 || (await withTimeout(ready, leftMs, signal)) === timedOut
  if (!isLate || body.hasBegun) return undefined
  const { kind: objectKind, address } = target
  const { owner } = hold
  const [sibling = ''] = framesOf(body.blocker?.call)
  const waitedMs = Math.round(monotonicMs() - startedAt)
  return {
    kind: 'not-acquired',
    name: address.name,
    objectKind,
    owner,
    holder: owner,
    position: 0,
    waitedMs,
    sibling,
  }
}

/** The callback has ended. Warns if one that entered its hold still runs. To be called by what `useLease` calls to leave. */
export function endBody(
  body: Body,
  hold: Pick<AnyHold, 'owner'>,
  target: Pick<Target, 'kind' | 'address'>,
  events: Events,
): void {
  const running = body.runningInside
  body.end()
  if (!running) return
  const message =
    `${titleOf(target)} (owner ${hold.owner}): the callback that holds it ended while another one that entered its hold still runs. ` +
    'If that is a job of another caller, a queue, pool or batcher started it in the context of this one, and both ran at the same ' +
    'time: give it to the queue as holdfast.bind(job), or take the lock with reentrant: false. If it is not, await it'
  const ended = body.call ?? callSite(oursAtEnd)
  events.warn(
    'BODY_ENDED_FIRST',
    message,
    () =>
      `The callback that ended was called\n${textOf(ended)}\nThe one that still runs was called\n${textOf(running.call)}`,
  )
}

/** `endBody`, what calls it and `useLease`. */
const oursAtEnd = 3

const textOf = (call: CallSite | undefined): string =>
  framesOf(call)
    .map((frame) => `    ${frame}`)
    .join('\n') || '    (no stack)'

/** What entering a hold once more needs of the client. */
export interface ReenteringDeps {
  readonly settings: {
    readonly engine: string
    /** How messages name the store. */
    readonly storeName: string
    readonly commandTimeoutMs: number
  }
  readonly background: Background
  readonly silence: StoreSilence
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
