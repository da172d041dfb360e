import type { Holdfast, HoldfastEvents } from '../../src/index.js'

/** Resolves with what the client reports the next time that it emits the event. */
export function nextEvent<E extends keyof HoldfastEvents>(
  holdfast: Holdfast,
  event: E,
): Promise<HoldfastEvents[E][0]> {
  return new Promise((resolve) => holdfast.once(event, (...[report]: HoldfastEvents[E]) => resolve(report)))
}
