import type { Session } from '../contender.js'
import { pace, type Pace } from './cycles.js'

/** For that long, one task takes a lock and takes it again inside. `null` where a lock cannot be entered twice. */
export async function nested(
  session: Session,
  { lock, forMs }: { readonly lock: string; readonly forMs: number },
): Promise<Pace | null> {
  const nest = session.nest?.bind(session)
  if (!nest) return null
  return pace([lock], forMs, (name) => nest(name))
}
