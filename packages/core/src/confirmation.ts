import type { Traits } from './engine/traits.js'
import { InvalidArgumentError } from './errors.js'

/** Refuses a time that may be over before the grant of its hold is confirmed. */
export function checkOutlastsConfirmation(
  option: 'leaseMs' | 'maxHoldMs',
  ms: number | null | undefined,
  confirmation: Traits['lease']['confirmation'],
): void {
  if (ms == null || !confirmation || ms > confirmation.withinMs) return
  throw new InvalidArgumentError(
    `${option} must be above ${confirmation.option} (${confirmation.withinMs}), ` +
      `or the hold may be over before it is confirmed, got ${ms}`,
  )
}
