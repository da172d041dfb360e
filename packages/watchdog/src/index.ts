export type { Renewable, RenewalOutcome } from './renewable.js'
export { Watchdog, type WatchdogOptions } from './watchdog.js'
// For sister packages.
export { splitIntoBatches } from './batches.js'
