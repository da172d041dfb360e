import { formatNumber } from './format.js'

/** A target, the measured value, and whether it is met. */
export type Verdict = readonly [what: string, wanted: string, seen: string, verdict: string]

type Values = readonly number[]

/** Of several values the worst counts. Without values there is no verdict. */
export const atMost = (what: string, limit: number, values: Values): Verdict[] => {
  const worst = Math.max(...values)
  return judged(what, limit === 0 ? '0' : `≤ ${limit}`, values, worst, worst <= limit)
}

export const atLeast = (what: string, limit: number, values: Values): Verdict[] => {
  const worst = Math.min(...values)
  return judged(what, `≥ ${limit}`, values, worst, worst >= limit)
}

/** To two decimals. */
export const exactly = (what: string, wanted: number, values: Values): Verdict[] => {
  const [worst = wanted] = [...values].sort((a, b) => Math.abs(b - wanted) - Math.abs(a - wanted))
  return judged(what, wanted.toFixed(2), values, worst, worst.toFixed(2) === wanted.toFixed(2))
}

const judged = (what: string, wanted: string, values: Values, worst: number, holds: boolean): Verdict[] =>
  values.length === 0 ? [] : [[what, wanted, formatNumber(worst), holds ? 'holds' : '**missed**']]
