import type { Traits } from '../engine/traits.js'
import { InvalidArgumentError } from '../errors/errors.js'

/** Refuses a time that may pass before the grant of its hold is confirmed. */
export function checkOutlastsConfirmation(
  option: 'leaseMs' | 'maxHoldMs',
  ms: number | null | undefined,
  confirmation: Traits['lease']['confirmation'],
): void {
  if (ms == null || !confirmation || ms > confirmation.withinMs) return
  throw new InvalidArgumentError(
    `${option} must be above ${confirmation.option} (${confirmation.withinMs}), ` +
      `or the hold may end before it is confirmed, got ${ms}`,
  )
}
