import {
  checkHistory,
  coverageOf,
  describeViolation,
  type CheckOptions,
  type Coverage,
  type Violation,
} from '@holdfast/testkit'
import type { ScheduleResult } from './run-schedule.js'

/** What one schedule showed. */
export interface Verdict extends ScheduleResult {
  readonly violations: readonly Violation[]
  /** How much there was to judge. */
  readonly coverage: Coverage
  /** Everything that went wrong, as text with timelines; empty if all is well. */
  readonly problems: readonly string[]
}

/** @param options - the limits that the promises are judged by */
export function verdictOn(result: ScheduleResult, options: CheckOptions): Verdict {
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
