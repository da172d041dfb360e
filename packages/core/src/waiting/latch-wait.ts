import { isAwaited } from '../engine/latch.js'
import type { Awaited, LatchSession, LatchWaitReply } from '../engine/latch.js'
import { notALock } from '../errors/store-errors.js'
import { momentNow } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import type { NotAcquired, Passed } from './outcome.js'
import type { Obstacle } from './standing.js'
import { StoreWait } from './store-wait.js'
import type { StoreWaitDeps } from './store-wait.js'
import { detailsOf, notAcquired } from './wait-reports.js'
import { latchGone } from './wording.js'

/** What waits for latches need of their client. */
export interface LatchWaitDeps extends StoreWaitDeps {
  readonly latches: Pick<LatchSession, 'wait'>
  /** All waiters of a client are notified together, so each asks for that for as long as the client lets any of them live. */
  readonly aliveMs: number
}

/** What the last reply said: which opening it waits for, and whether this client is notified of it. */
interface Closed {
  readonly awaited: Awaited
  readonly heardAt: Moment
  readonly isNotified: boolean
}

/** One wait for a latch, under an owner that only this client knows. It leaves nothing behind that would hold anyone up. */
export class LatchWait extends StoreWait<Passed | NotAcquired, LatchWaitDeps> {
  #closed: Closed | undefined

  get awaited(): Awaited | undefined {
    return this.#closed?.awaited
  }

  get obstacle(): Obstacle | undefined {
    if (!this.#closed) return undefined
    const { heardAt, isNotified } = this.#closed
    return { holder: '', position: isNotified ? 1 : 0, at: heardAt.monotonicMs }
  }

  /** Another opening than the awaited one proves nothing, but a later one says that something was missed. */
  opened(generation: number): void {
    const { awaited } = this
    if (awaited && isAwaited(awaited, generation)) this.#pass(generation)
    else if (!awaited || generation > awaited.generation) this.wake()
  }

  /** No one evicts it. */
  revoked(): void {
    this.wake()
  }

  protected get hasEntry(): boolean {
    return this.#closed?.isNotified === true
  }

  protected get inVain(): NotAcquired {
    return notAcquired(this, this.obstacle, this.waitedMs, undefined)
  }

  protected send(timeoutMs: number): void {
    const { latches, aliveMs } = this.deps
    const sentAt = momentNow()
    const isNotified = this.takePlace()
    // In the list from now on: an opening may be known here before the reply is.
    if (isNotified) this.deps.waiters.wait(this, false)
    const wait = { address: this.address, awaited: this.awaited, aliveMs: isNotified ? aliveMs : 0 }
    this.take(latches.wait([wait], timeoutMs), ([reply]) =>
      this.#onReply(reply ?? { kind: 'gone' }, sentAt, isNotified),
    )
  }

  protected readObstacle(): void {
    // No one is in the way.
  }

  protected abandon(): void {
    // The store forgets it by itself.
  }

  #onReply(reply: LatchWaitReply, heardAt: Moment, isNotified: boolean): void {
    switch (reply.kind) {
      case 'closed':
        this.#closed = { awaited: reply.awaited, heardAt, isNotified }
        this.enter('waiting')
        // It opens at no time that is known now: only a notification, or a refresh, ends the wait.
        if (this.options.waitMs === 0) this.end(this.inVain)
        else this.wait(Infinity, false, undefined, reply.againMs)
        return
      case 'passed':
        // Others here that wait for the same opening need not ask.
        if (this.#closed) this.deps.waiters.opened(this.address.id, reply.generation)
        this.#pass(reply.generation)
        return
      case 'gone':
        this.fail(latchGone(this.target, detailsOf(this)))
        return
      case 'not-a-lock':
        this.fail(notALock(this.address, reply))
    }
  }

  #pass(generation: number): void {
    this.succeed(() => ({ kind: 'passed', generation }))
  }
}
