export type { Renewable, RenewalOutcome } from './watchdog.js'
export { Watchdog, type WatchdogOptions } from './watchdog.js'
// For sister packages.
export { splitIntoBatches } from './watchdog.js'
