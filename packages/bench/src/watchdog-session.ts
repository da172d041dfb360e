import { Holdfast } from '@holdfast/core'
import type { Session } from './contender.js'

/** Settings of a Holdfast client whose renewal periods are short enough to observe several. */
export interface WatchdogSettings {
  readonly url: string
  readonly watchdogTimeoutMs: number
}

/** A Holdfast client with these settings; without settings, the given session. */
export function openWithWatchdog(
  session: Session,
  watchdog: WatchdogSettings | null,
): Pick<Session, 'enter'> {
  if (!watchdog) return session
  const client = new Holdfast({ redis: watchdog.url, watchdogTimeoutMs: watchdog.watchdogTimeoutMs })
  client.on('error', (error) => console.error(error))
  return {
    async enter(name) {
      const lease = await client.getLock(name).lock()
      return () => lease.unlock()
    },
  }
}
