import type { Address } from './requests.js'

/** How notifications reach a client. What they say goes to its {@link EngineHost}. */
export interface Inbox {
  /** Whether a notification about this lock would arrive now, as far as is known. */
  isSubscribed(address: Address): boolean
  /** Resolves once notifications arrive; keeps trying during outages. Rejects when the store refuses the subscription. */
  subscribe(address: Address): Promise<void>
  /** For stores that notify per lock: a waiter for this lock has arrived. Called once per waiter. */
  watch?(address: Address): void
  /** A waiter that was announced by `watch` has left. */
  unwatch?(address: Address): void
}
