import { checkHistory, coverageOf, describeViolation, type Coverage, type Violation } from '@holdfast/testkit'
import { clientOptions } from './client-options.js'
import type { ScheduleResult } from './run-schedule.js'
import { storeOf, type TopologyName } from './topologies.js'

/** Leases last up to 600 ms, and each call ahead in the queue may take one; the rest is slack for busy machines. */
const settleMs = 20_000
/** Clients reconnect with a backoff of up to a second, and a queue entry lives for `watchdogTimeoutMs`. */
const recoveryMs = 2_500
/** A reply may be this late on a busy machine. */
const slackMs = 1_500

/** A few milliseconds if all is well; a waiter that misses its notification takes up to a lease. */
export const handOffMs = 100

/** What one schedule showed. */
export interface Verdict extends ScheduleResult {
  readonly violations: readonly Violation[]
  /** How much there was to judge. */
  readonly coverage: Coverage
  /** Everything that went wrong, as text with timelines; empty if all is well. */
  readonly problems: readonly string[]
}

export function judge(result: ScheduleResult, topology: TopologyName): Verdict {
  const { commandTimeoutMs } = clientOptions
  const drawsTokensInTurn = storeOf(topology) !== 'session'
  const options = { settleMs, recoveryMs, slackMs, commandTimeoutMs, handOffMs, drawsTokensInTurn }
  const violations = checkHistory(result.history, options)
  return {
    ...result,
    violations,
    coverage: coverageOf(result.history, options),
    problems: [
      ...result.failures,
      ...violations.map((violation) => describeViolation(violation, result.history)),
    ],
  }
}
