import type { Session } from '../contender.js'
import { pace, type Pace } from './cycles.js'

/** For `forMs`, one task acquires a lock and re-enters it. `null` where a lock does not support re-entry. */
export async function nested(
  session: Session,
  { lock, forMs }: { readonly lock: string; readonly forMs: number },
): Promise<Pace | null> {
  const nest = session.nest?.bind(session)
  if (!nest) return null
  return pace([lock], forMs, (name) => nest(name))
}
