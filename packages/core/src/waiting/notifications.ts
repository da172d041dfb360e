import { clientOf } from '../engine/owner.js'
import type { Addressing } from '../engine/addressing.js'
import type { GrantNotice } from '../engine/host.js'
import type { Abandonment } from '../holding/abandonment.js'
import type { Background } from '../util/background.js'
import type { Looks } from './looks.js'
import { isPlausible } from './plausible.js'
import type { Proofs } from './proofs.js'
import type { Waiter, WaiterTable } from './waiter-table.js'

/** What passing notifications on needs of the client. */
export interface NotificationDeps {
  readonly clientId: string
  readonly holds: { find(owner: string): { checkEviction(): void } | undefined }
  readonly waiters: WaiterTable
  readonly proofs: Pick<Proofs, 'of'>
  readonly looks: Pick<Looks, 'request' | 'take'>
  readonly background: Pick<Background, 'run'>
}

/** What it needs of the session, which is opened with it. */
export interface SessionParts {
  readonly names: Addressing
  readonly abandonment: Pick<Abandonment, 'abandon'>
}

/**
 * Passes the engine's notifications on to the hold or acquisition that they are about. Anyone may have sent them: only a grant that
 * repeats the proof of its queue entry is believed, and all else has whoever it is about ask the store, at a bounded rate.
 */
export class Notifications {
  readonly #deps: NotificationDeps
  #session: SessionParts | undefined

  constructor(deps: NotificationDeps) {
    this.#deps = deps
  }

  /** Nothing is notified before the first command of the session. */
  begin(session: SessionParts): void {
    this.#session = session
  }

  granted(id: string, owner: string, notice: GrantNotice): void {
    const { clientId, holds, waiters, proofs } = this.#deps
    if (clientOf(owner) !== clientId || holds.find(owner)) return
    const isProven = notice.proof === proofs.of(owner) && isPlausible(notice)
    const waiter = waiters.find(owner)
    if (!waiter) {
      if (isProven) this.#abandon(id, owner, notice.leaseMs)
      return
    }
    // Never one that waits for something else: it would take what it was not given.
    if (waiter.address.id !== id) return
    if (!isProven || !waiter.granted?.(notice)) this.#wake(waiter)
  }

  revoked(owner: string): void {
    const { holds, waiters, looks } = this.#deps
    const subject = holds.find(owner) ?? waiters.find(owner)
    if (!subject) return
    // A waiter may have become a holder by the time it looks.
    looks.request(subject, () => {
      holds.find(owner)?.checkEviction()
      waiters.find(owner)?.revoked()
    })
  }

  /** Which generation opened is left to the store to say. */
  opened(id: string): void {
    const { waiters, looks } = this.#deps
    const [first] = waiters.waitingFor(id)
    if (!first) return
    looks.request(first, () => this.#lookAtLatch(id))
  }

  /** @param owner - the waiter whose turn it may be; the first one without */
  wake(id: string, owner?: string): void {
    const { waiters } = this.#deps
    if (owner === undefined) {
      for (const waiter of waiters.nextFor(id)) this.#wake(waiter)
      return
    }
    // One that gave up has left the queue, or is about to.
    const waiter = waiters.find(owner)
    if (waiter?.address.id === id) this.#wake(waiter)
  }

  /** Something about this object may have been missed, or a latch is gone. */
  missed(id: string): void {
    const waiting = this.#deps.waiters.waitingFor(id)
    if (waiting[0]?.target.kind === 'latch') {
      this.opened(id)
      return
    }
    this.#deps.waiters.distrust(waiting)
    for (const waiter of waiting) this.#wake(waiter)
  }

  #wake(waiter: Waiter): void {
    this.#deps.looks.request(waiter, () => waiter.wake())
  }

  /** All that wait for the latch look together; a request in flight may have come before the opening. */
  #lookAtLatch(id: string): void {
    const { waiters, background } = this.#deps
    const waiting = waiters.waitingFor(id)
    for (const waiter of waiting) if (!waiter.isQueued) waiter.wake()
    const queued = waiting.filter(({ isQueued }) => isQueued)
    if (!waiters.refreshLatches || queued.length === 0) return
    const looked = waiters.refreshLatches(queued).catch((error: unknown) => {
      for (const waiter of queued) waiter.wake()
      throw error
    })
    background.run(looked)
  }

  /** No one waits under this owner any more: what the store still has of it would only keep others out. */
  #abandon(id: string, owner: string, leaseMs: number): void {
    const address = this.#session?.names.resolve(id)
    // An address does not say what kind of object it is.
    if (address && this.#deps.looks.take())
      this.#session?.abandonment.abandon({ address, title: address.name, owner, inDoubt: false, leaseMs })
  }
}
