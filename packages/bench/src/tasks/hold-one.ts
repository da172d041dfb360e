import type { Session } from '../contender.js'
import { openWithRhythm, type Rhythm } from '../rhythm.js'

/** Takes the lock and keeps it for as long as this process lives. */
export async function holdOne(
  session: Session,
  { lock, rhythm }: { readonly lock: string; readonly rhythm: Rhythm | null },
): Promise<void> {
  await openWithRhythm(session, rhythm).enter(lock)
}
