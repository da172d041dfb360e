import type { Inspection, NotALockReply, SharedInspection } from '../engine/replies.js'
import type { Moment } from '../util/clock.js'

/** Who is in the way of a waiter, its position in the queue, and when that was so, on the monotonic clock. */
export interface Obstacle {
  readonly holder: string
  readonly position: number
  readonly at: number
}

/** What the last reply to a waiter said, and when that was asked for. `entered`: how many waiters of its client had entered since there is a standing. */
interface Said {
  readonly heardAt: Moment
  readonly holder: string
  readonly position: number
  readonly entered: number
}

type Found = Inspection | SharedInspection | NotALockReply

/** What a client has learned of an object since its waiters got their own replies, from its other waiters and from a reading. */
export class Standing {
  /** How many of this client's waiters have left the queue by entering. */
  entered = 0
  #holder = ''
  #at = -Infinity
  #positions: ReadonlyMap<string, number> | undefined
  #foundAt = -Infinity
  #enteredAtReading = 0
  #readAt = -Infinity

  /** Whether a reading is due: not while another one is under way, nor soon after it. */
  beginReading(now: number, atMostEveryMs: number): boolean {
    if (now - this.#readAt < atMostEveryMs) return false
    this.#readAt = now
    return true
  }

  /** @param isQueued - it had a queue entry; those behind it move up */
  enter(owner: string, isQueued: boolean, isExclusive: boolean, now: number): void {
    if (isQueued) this.entered += 1
    if (!isExclusive) return
    this.#holder = owner
    this.#at = now
  }

  /** @param at - when it was asked for: what happened here since is newer */
  found(found: Found, at: number): void {
    if (found.kind === 'not-a-lock' || at < this.#at) return
    this.#holder = found.kind === 'lock' ? found.owner : (found.holders[0]?.owner ?? '')
    this.#at = at
    this.#foundAt = at
    this.#positions = new Map(found.waiters.map(({ owner }, i) => [owner, i + 1]))
    this.#enteredAtReading = this.entered
  }

  /** What is known for this waiter: the newest of both. A waiter is not in its own way: its grant is on its way here. */
  obstacleOf(owner: string, said: Said): Obstacle {
    const isNewer = this.#at > said.heardAt.monotonicMs
    const { holder, at } =
      isNewer && this.#holder !== owner
        ? { holder: this.#holder, at: this.#at }
        : { holder: said.holder, at: said.heardAt.monotonicMs }
    const read = this.#foundAt > said.heardAt.monotonicMs ? this.#positions?.get(owner) : undefined
    const position = read ?? said.position
    const movedUp = this.entered - (read === undefined ? said.entered : this.#enteredAtReading)
    return { holder, position: position === 0 ? 0 : Math.max(1, position - movedUp), at }
  }
}
