import type { Session } from '../contender.js'
import { pace, type Pace } from './cycles.js'

export interface TogetherOrder {
  readonly lock: string
  readonly locks: number
  /** All as one, or one after another. */
  readonly isJoint: boolean
  readonly forMs: number
}

/** For `forMs`, one task acquires several locks and releases them. `null` where they cannot be acquired as one. */
export async function together(session: Session, order: TogetherOrder): Promise<Pace | null> {
  const acquireAll = session.together?.bind(session)
  if (!acquireAll) return null
  const names = Array.from({ length: order.locks }, (_, i) => `${order.lock}:${i}`)
  return pace([order.lock], order.forMs, async () => {
    if (order.isJoint) {
      await acquireAll(names)
      return
    }
    const leave: (() => Promise<void>)[] = []
    for (const name of names) leave.push(await session.enter(name))
    await Promise.all(leave.map((each) => each()))
  })
}
