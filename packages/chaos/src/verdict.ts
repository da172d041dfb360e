import { checkHistory, coverageOf, describeViolation, type Coverage, type Violation } from '@holdfast/testkit'
import { clientOptions } from './client-options.js'
import type { Played } from './play.js'

/** Leases last up to 600 ms, and each of the calls ahead may take one; the rest is for busy machines. */
const settleMs = 20_000
/** Connections are made anew with growing pauses of up to a second, and a place lives for a watchdog time. */
const recoveryMs = 2_500
/** An answer may come this much late on a machine that does many things at once. */
const slackMs = 1_500

/** Some milliseconds where all is well; a waiter that has to look for itself takes up to a lease. */
export const handOffMs = 100

/** What one schedule showed. */
export interface Verdict extends Played {
  readonly violations: readonly Violation[]
  /** How much there was to judge. */
  readonly coverage: Coverage
  /** Everything that is wrong, in words and timelines; empty if all is well. */
  readonly complaints: readonly string[]
}

export function judge(played: Played): Verdict {
  const { commandTimeoutMs } = clientOptions
  const options = { settleMs, recoveryMs, slackMs, commandTimeoutMs, handOffMs }
  const violations = checkHistory(played.history, options)
  return {
    ...played,
    violations,
    coverage: coverageOf(played.history, options),
    complaints: [
      ...played.failures,
      ...violations.map((violation) => describeViolation(violation, played.history)),
    ],
  }
}
