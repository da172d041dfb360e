import type { Events } from '../events/events.js'
import { rememberCall } from '../holding/acquired-at.js'
import type { LeaseHandle } from '../holding/lease-set.js'
import { callSite } from '../ownership/call-site.js'

/**
 * Has the lease that comes of a call remember where the call was made, if someone wants to know: it costs a stack.
 *
 * @param toResult - makes what the caller gets of an outcome
 * @param ours - how many functions of this package the caller of this function is in
 */
export function traced<O, T extends LeaseHandle | null>(
  events: Pick<Events, 'hasListeners'>,
  toResult: (outcome: O) => T,
  ours: number,
): (outcome: O) => T {
  if (!events.hasListeners('leaked')) return toResult
  const call = callSite(ours + 1)
  return (outcome) => {
    const lease = toResult(outcome)
    if (lease) rememberCall(lease, call)
    return lease
  }
}
