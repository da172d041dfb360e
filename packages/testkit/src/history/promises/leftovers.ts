import type { History } from '../history.js'
import type { Violation } from '../violation.js'

/** When all is over, nothing is there any more. */
export function checkLeftovers({ events }: History): Violation[] {
  return events
    .filter((event) => event.kind === 'leftover')
    .map((event) => ({
      promise: 'leftovers',
      lock: event.lock,
      message: `${event.lock} left behind: ${event.what}`,
      events: [event],
    }))
}
