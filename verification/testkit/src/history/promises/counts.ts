import type { History } from '../history.js'
import type { Violation } from '../violation.js'

/** At rest, a hold counts the same at its client and at the server. */
export function checkCounts({ events }: History): Violation[] {
  return events
    .filter((event) => event.kind === 'counted')
    .filter(({ atClient, atServer }) => atClient !== atServer)
    .map((event) => ({
      promise: 'counts',
      lock: event.lock,
      message: `owner ${event.owner} of ${event.lock} counts ${event.atClient}, the server ${event.atServer}`,
      events: [event],
    }))
}
