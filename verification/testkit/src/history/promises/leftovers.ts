import type { History } from '../history.js'
import type { Violation } from '../violation.js'

/** At the end, nothing is left behind. */
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
