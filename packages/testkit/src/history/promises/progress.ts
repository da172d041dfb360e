import type { Call } from '../calls.js'
import type { History } from '../history.js'
import { coveredMs } from '../spans.js'
import type { Refusal } from '../event.js'
import { evidence, type Violation } from '../violation.js'

/** Timers of Node may be early by one millisecond. */
const roundingMs = 2

/** What may end a wait without an end. Outages only make it longer. */
const endsUnlimitedWaits = new Set<Refusal>(['aborted', 'lost', 'closed', 'refused', 'replication'])

/** Every call of a process that lives on settles when it should, by a lease or a foreseen refusal. */
export function checkProgress(history: History): Violation[] {
  return history.calls.flatMap((call) => {
    const found = [
      settles(call, history),
      obeysAbort(call, history),
      refusedRightly(call),
      releases(call, history),
    ]
    return found.flatMap((problem) => (problem ? [violation(call, problem)] : []))
  })
}

function violation(call: Call, problem: string): Violation {
  const { asked, acquired, refused, left, released, lost } = call
  return {
    promise: 'progress',
    lock: asked.lock,
    message: `${asked.process}: its call ${asked.call} on ${asked.lock} ${problem}`,
    events: evidence(asked, acquired, refused, left, released, lost),
  }
}

function settles(call: Call, { faults, options }: History): string | null {
  const { asked, acquired, refused, killed } = call
  const settled = acquired ?? refused
  if (!settled) return killed ? null : 'was never settled'
  const { waitMs } = asked
  const fromMs = waitMs === null ? Math.max(asked.atMs, faults.lastHealedMs) : asked.atMs
  const pausedMs = coveredMs({ fromMs, untilMs: settled.atMs }, faults.pauses(asked.process))
  const tookMs = settled.atMs - fromMs - pausedMs
  if (waitMs === null) {
    return tookMs <= options.settleMs
      ? null
      : `took ${ms(tookMs)} to settle, ${ms(options.settleMs)} are allowed`
  }
  const allowedMs = (waitMs === 0 ? options.commandTimeoutMs : waitMs) + options.slackMs
  return tookMs <= allowedMs ? null : `settled after ${ms(tookMs)}, with waitMs ${waitMs}`
}

function obeysAbort({ asked, acquired, refused }: Call, { faults, options }: History): string | null {
  const settled = acquired ?? refused
  const { abortAtMs: fromMs } = asked
  if (!settled || fromMs === undefined) return null
  const untilMs = settled.atMs
  const lateMs = untilMs - fromMs - coveredMs({ fromMs, untilMs }, faults.pauses(asked.process))
  return lateMs <= options.slackMs ? null : `settled ${ms(lateMs)} after its signal aborted`
}

function refusedRightly({ asked, acquired, refused }: Call): string | null {
  if (!refused) return null
  const { reason, message } = refused
  if (reason === 'other') return `failed in an unforeseen way: ${message}`
  if (reason !== 'timeout') {
    const mayEnd = asked.waitMs !== null || acquired !== undefined || endsUnlimitedWaits.has(reason)
    return mayEnd ? null : `ended as ${reason}, though it was to wait without an end: ${message}`
  }
  const waitedMs = refused.atMs - asked.atMs
  if (asked.waitMs === null) return 'timed out, though it was to wait without an end'
  return waitedMs >= asked.waitMs - roundingMs
    ? null
    : `timed out after ${ms(waitedMs)}, with waitMs ${asked.waitMs}`
}

function releases(call: Call, { faults, options }: History): string | null {
  const { left, killed, asked } = call
  if (!left) return null
  // Redis may refuse a release, and its caller is told so.
  const [answered] = evidence(call.released, call.lost, call.refused)
  if (!answered) return killed ? null : 'left, and was never told whether it released'
  const fromMs = Math.max(left.atMs, faults.lastHealedMs)
  const tookMs =
    answered.atMs - fromMs - coveredMs({ fromMs, untilMs: answered.atMs }, faults.pauses(asked.process))
  return tookMs <= options.settleMs ? null : `waited ${ms(tookMs)} for the answer to its release`
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`
}
