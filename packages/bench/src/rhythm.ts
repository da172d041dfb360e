import { Holdfast } from '@holdfast/core'
import type { Session } from './contender.js'

/** A Holdfast whose periods are short enough to watch some of them. */
export interface Rhythm {
  readonly url: string
  readonly watchdogTimeoutMs: number
}

/** What enters locks: a Holdfast with this rhythm; without one, the session that there is. */
export function openWithRhythm(session: Session, rhythm: Rhythm | null): Pick<Session, 'enter'> {
  if (!rhythm) return session
  const client = new Holdfast({ redis: rhythm.url, watchdogTimeoutMs: rhythm.watchdogTimeoutMs })
  client.on('error', (error) => console.error(error))
  return {
    async enter(name) {
      const lease = await client.getLock(name).lock()
      return () => lease.unlock()
    },
  }
}
