import type { Call } from '../calls.js'
import type { OfKind } from '../grouping.js'
import type { History } from '../history.js'
import { coveredMs } from '../spans.js'
import type { Refusal } from '../event.js'
import { evidence, type Violation } from '../violation.js'

/** Timers of Node.js may be early by one millisecond. */
const roundingMs = 2

/** What may end an unlimited wait. Outages only make it longer. */
const endsUnlimitedWaits = new Set<Refusal>([
  'aborted',
  'lost',
  'closed',
  'refused',
  'replication',
  'upgrade',
  'gone',
])

/** Every call of a surviving process settles in time, with a lease or an expected refusal. */
export function checkProgress(history: History): Violation[] {
  return [...checkCalls(history), ...checkResizes(history)]
}

function checkCalls(history: History): Violation[] {
  return history.calls.flatMap((call) => {
    const found = [
      settles(call, history),
      obeysAbort(call, history),
      refusedRightly(call, history),
      releases(call, history),
    ]
    return found.flatMap((problem) => (problem ? [violation(call, problem)] : []))
  })
}

function violation(call: Call, problem: string): Violation {
  const { requested, acquired, refused, left, released, lost } = call
  return {
    promise: 'progress',
    lock: requested.lock,
    message: `${requested.process}: its call ${requested.call} on ${requested.lock} ${problem}`,
    events: evidence(requested, acquired, refused, left, released, lost),
  }
}

function settles(call: Call, { faults, options }: History): string | null {
  const { requested, acquired, refused, passed, killed } = call
  const settled = acquired ?? passed ?? refused
  if (!settled) return killed ? null : 'was never settled'
  const { waitMs } = requested
  const fromMs = waitMs === null ? Math.max(requested.atMs, faults.lastHealedMs) : requested.atMs
  const pausedMs = coveredMs({ fromMs, untilMs: settled.atMs }, faults.pauses(requested.process))
  const tookMs = settled.atMs - fromMs - pausedMs
  if (waitMs === null) {
    return tookMs <= options.settleMs
      ? null
      : `took ${ms(tookMs)} to settle, ${ms(options.settleMs)} are allowed`
  }
  const allowedMs = (waitMs === 0 ? options.commandTimeoutMs : waitMs) + options.slackMs
  return tookMs <= allowedMs ? null : `settled after ${ms(tookMs)}, with waitMs ${waitMs}`
}

function obeysAbort(
  { requested, acquired, passed, refused }: Call,
  { faults, options }: History,
): string | null {
  const settled = acquired ?? passed ?? refused
  const { abortAtMs: fromMs } = requested
  if (!settled || fromMs === undefined) return null
  const untilMs = settled.atMs
  const { process, atMs } = requested
  // While a machine sleeps, the clock stands still by which its signals abort.
  const sleptMs = coveredMs({ fromMs: atMs, untilMs: fromMs }, faults.sleeps(process))
  const lateMs = untilMs - fromMs - sleptMs - coveredMs({ fromMs, untilMs }, faults.pauses(process))
  return lateMs <= options.slackMs ? null : `settled ${ms(lateMs)} after its signal aborted`
}

function refusedRightly({ requested, acquired, refused }: Call, { options }: History): string | null {
  if (!refused) return null
  const { reason, message } = refused
  if (reason === 'other') return `failed unexpectedly: ${message}`
  if (reason === 'upgrade' && (requested.permits ?? 1) === 1) return `was taken for an upgrade: ${message}`
  if (reason !== 'timeout') {
    if (reason === 'refused' && !options.mayRefuse.test(message)) return `was refused: ${message}`
    const mayEnd = requested.waitMs !== null || acquired !== undefined || endsUnlimitedWaits.has(reason)
    return mayEnd ? null : `ended with ${reason}, although its wait was unlimited: ${message}`
  }
  const waitedMs = refused.atMs - requested.atMs
  if (requested.waitMs === null) return 'timed out, although its wait was unlimited'
  const { [requested.process]: rate = 1 } = options.rates
  return waitedMs * rate >= requested.waitMs - roundingMs
    ? null
    : `timed out after ${ms(waitedMs)}, with waitMs ${requested.waitMs}`
}

/** Each command of a resize may take as long as one may: the first mostly learns which size it replaces. */
const commandsPerResize = 3

/** Every resize of a surviving process is acknowledged or fails, as one of several commands may. */
function checkResizes({ events, faults, options }: History): Violation[] {
  const ends = new Map(
    events.flatMap((event) =>
      event.kind === 'resized' || event.kind === 'refused' ? [[event.call, event]] : [],
    ),
  )
  const dead = new Set(events.flatMap((event) => (event.kind === 'killed' ? [event.process] : [])))
  const allowedMs = commandsPerResize * options.commandTimeoutMs + options.slackMs
  return events
    .filter((event) => event.kind === 'resizing')
    .flatMap((resizing) => {
      const { process, atMs: fromMs } = resizing
      const end = ends.get(resizing.call)
      if (!end) return dead.has(process) ? [] : [resizeViolation(resizing, end, 'was never settled')]
      if (end.kind === 'refused' && end.reason === 'other')
        return [resizeViolation(resizing, end, `failed unexpectedly: ${end.message}`)]
      const tookMs = end.atMs - fromMs - coveredMs({ fromMs, untilMs: end.atMs }, faults.pauses(process))
      return tookMs <= allowedMs
        ? []
        : [resizeViolation(resizing, end, `took ${ms(tookMs)} to settle, ${ms(allowedMs)} are allowed`)]
    })
}

function resizeViolation(
  resizing: OfKind<'resizing'>,
  end: OfKind<'resized' | 'refused'> | undefined,
  problem: string,
): Violation {
  const { process, lock } = resizing
  return {
    promise: 'progress',
    lock,
    message: `${process}: its resize of ${lock} ${problem}`,
    events: evidence(resizing, end),
  }
}

function releases(call: Call, { faults, options }: History): string | null {
  const { left, killed, requested } = call
  if (!left) return null
  // Redis may refuse a release, which its caller learns as an error.
  const [acknowledged] = evidence(call.released, call.lost, call.refused)
  if (!acknowledged) return killed ? null : 'left, and its release was never acknowledged'
  const fromMs = Math.max(left.atMs, faults.lastHealedMs)
  const tookMs =
    acknowledged.atMs -
    fromMs -
    coveredMs({ fromMs, untilMs: acknowledged.atMs }, faults.pauses(requested.process))
  return tookMs <= options.settleMs ? null : `waited ${ms(tookMs)} for the reply to its release`
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`
}
