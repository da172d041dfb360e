import type { EntryNote } from './store.js'

/** What an entry says. A lease as long as the watchdog's lasts while it is renewed: then only the session tells when it ends. */
export const noteOf = (count: number, leaseMs: number, watchdogTimeoutMs: number): EntryNote => ({
  count,
  leaseMs: leaseMs === watchdogTimeoutMs ? 0 : leaseMs,
})
