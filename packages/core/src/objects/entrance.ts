import { isShared, titleOf } from '../engine/requests.js'
import type { Target } from '../engine/requests.js'
import { UnavailableError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import { upgradeRefused } from '../holding/loss.js'
import type { Request, Settings } from '../options/options.js'
import { callSite, framesOf } from '../ownership/call-site.js'
import type { CallSite } from '../ownership/call-site.js'
import type { Frames } from '../ownership/frames.js'
import type { LeaseEntry, Possession } from '../ownership/possession.js'
import type { Scope } from '../ownership/scope.js'
import type { Body } from '../ownership/turns.js'
import { isTimeUp, monotonicMs } from '../util/clock.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import { notReached, notReplied } from '../waiting/outcome.js'
import type { NotAcquired } from '../waiting/outcome.js'
import type { AnyAcquired, Home } from './home.js'

/** What was entered. */
export interface Entered extends AnyAcquired {
  /** Of a callback that entered a hold around it: it has its turn. */
  readonly body?: Body
}

export type Outcome = Entered | NotAcquired

// Each call either re-enters the hold of the running async context or acquires the lock afresh.

/** Inside a scope, waits for earlier calls on this lock there, and keeps the lease for the scope's `unlock()`. */
export function acquireInScope(
  home: Home,
  target: Target,
  request: Request,
  wantsToken: boolean,
): Promise<Outcome> {
  const scope = home.frames.nearestScope()
  return scope
    ? acquireInTurn(home, scope, target, request, wantsToken)
    : acquire(home, target, request, wantsToken, false)
}

/** For a callback. Inside a hold of this lock, waits until no other callback there is in its way. */
export function acquireForBody(
  home: Home,
  target: Target,
  request: Request,
  wantsToken: boolean,
): Promise<Outcome> {
  return acquire(home, target, request, wantsToken, true)
}

function acquire(
  home: Home,
  target: Target,
  request: Request,
  wantsToken: boolean,
  isForBody: boolean,
): Promise<Outcome> {
  const hold = home.frames.enclosingHold(target.address)
  if (!hold) return acquireAfresh(home, target, request, wantsToken)
  return request.reentrant === false
    ? acquireAfresh(home, target, { ...request, inside: hold }, wantsToken)
    : acquireInside(home, hold, target, request, wantsToken, isForBody)
}

async function acquireInTurn(
  home: Home,
  scope: Scope,
  target: Target,
  request: Request,
  wantsToken: boolean,
): Promise<Outcome> {
  const startedAt = monotonicMs()
  // One that must not re-enter may wait for what the scope holds: the scope's `unlock()` must not wait behind it.
  const slot = request.reentrant === false ? undefined : scope.nextSlot(target.address)
  try {
    const limitMs = limitOf(request, home.settings)
    if (slot?.ready && (await withTimeout(slot.ready, limitMs, request.signal)) === timedOut) {
      return notReachedTurn(target, Math.round(monotonicMs() - startedAt))
    }
    const outcome = await acquire(home, target, withWaitLeft(request, startedAt), wantsToken, false)
    if ('entry' in outcome) scope.keep(outcome.hold, outcome.entry)
    return outcome
  } finally {
    slot?.done()
  }
}

/** Inside a hold that may be released before this call's turn comes. */
async function acquireInside(
  home: Home,
  first: Possession,
  target: Target,
  request: Request,
  wantsToken: boolean,
  isForBody: boolean,
): Promise<Outcome> {
  const startedAt = monotonicMs()
  const call = isForBody ? callSite(oursInside) : undefined
  let hold: Possession | undefined = first
  while (hold) {
    const body = call && joinTurns(home.frames, hold, target, call)
    let entry: LeaseEntry | NotAcquired | null = null
    try {
      const late = body && (await untilTurn(body, hold, target, request, startedAt))
      if (late) return late
      entry = await reenter(home, hold, target, withWaitLeft(request, startedAt), wantsToken)
    } finally {
      if (!entry || 'waitedMs' in entry) body?.end()
    }
    if (entry && 'waitedMs' in entry) return entry
    if (entry) return body ? { hold, entry, body } : { hold, entry }
    hold = home.frames.enclosingHold(target.address)
  }
  return acquireAfresh(home, target, withWaitLeft(request, startedAt), wantsToken, startedAt)
}

function acquireAfresh(
  home: Home,
  target: Target,
  request: Request,
  wantsToken: boolean,
  wantedSince?: number,
): Promise<Outcome> {
  home.closing.assertOpen(target.address.name)
  return home.acquire(target, request, wantsToken, wantedSince)
}

/** `acquireInside`, `acquire`, `acquireForBody`, `#acquireForBody` of the lock, what `useLease` begins with, `useLease` and `withLock`. */
const oursInside = 7

/** The turn of a call among those of its scope did not come in time. */
export const notReachedTurn = (target: Target, waitedMs: number): NotAcquired => ({
  ...notReplied(target, undefined, waitedMs),
  isBehindScope: true,
})

const withWaitLeft = (request: Request, startedAt: number): Request =>
  request.waitMs === 0 || request.waitMs === Infinity
    ? request
    : { ...request, waitMs: Math.max(1, Math.ceil(startedAt + request.waitMs - monotonicMs())) }

/** Joins the bodies of a hold. Throws `UpgradeError` if two readers would wait for each other to write. */
export function joinTurns(
  frames: Frames,
  hold: Possession,
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
  hold: Possession,
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
export function endBody(body: Body, hold: Possession, target: Target, events: Events): void {
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

/**
 * Enters a hold once more, on time even behind a slow command of the same hold; an entry that comes too late is left again.
 * `null` when the hold was released before this call's turn came, `NotAcquired` when the call did not wait for the reply.
 */
export async function reenter(
  home: Home,
  hold: Possession,
  target: Target,
  request: Request,
  wantsToken: boolean,
): Promise<LeaseEntry | NotAcquired | null> {
  const startedAt = monotonicMs()
  const entering = hold.enter(target, request, wantsToken)
  const { settings, silence, background } = home
  const limitMs = limitOf(request, settings)
  try {
    const entry = await withTimeout(entering, limitMs, request.signal)
    if (entry !== timedOut) return entry
    throw notReached({ target, owner: hold.owner }, home, limitMs, silence.errorSince(startedAt))
  } catch (error) {
    background.run(leaveLate(entering))
    const isLate = error instanceof UnavailableError && isTimeUp(startedAt + limitMs)
    if (!isLate || request.waitMs === 0 || silence.isOutage(startedAt)) throw error
    return notReplied(target, hold.owner, Math.round(monotonicMs() - startedAt))
  }
}

/** How long a call may take in all: a single attempt one command's time. */
export const limitOf = ({ waitMs }: Request, { commandTimeoutMs }: Settings): number =>
  waitMs === 0 ? commandTimeoutMs : waitMs

/** The caller has its error already, so no caller is left to receive a failure. */
async function leaveLate(entering: Promise<LeaseEntry | null>): Promise<void> {
  try {
    await (await entering)?.unlock()
  } catch {
    // The hold is lost or the entry failed: nothing was entered.
  }
}
