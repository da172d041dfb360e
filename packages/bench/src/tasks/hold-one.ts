import type { Session } from '../contender.js'
import { openWithWatchdog, type WatchdogSettings } from '../watchdog-session.js'

/** Takes the lock and keeps it for as long as this process lives. */
export async function holdOne(
  session: Session,
  { lock, watchdog }: { readonly lock: string; readonly watchdog: WatchdogSettings | null },
): Promise<void> {
  await openWithWatchdog(session, watchdog).enter(lock)
}
