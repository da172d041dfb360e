import type { EngineSession, GrantNotice } from '../engine/session.js'
import type { Abandonment } from '../holding/abandonment.js'
import type { LossReason } from '../errors.js'
import type { Waiter, WaiterTable } from './waiter-table.js'

/** What passing notifications on needs of the client. */
export interface NotificationDeps {
  readonly session: Pick<EngineSession, 'resolve'>
  readonly holds: { find(owner: string): { lose(reason: LossReason): void } | undefined }
  readonly waiters: WaiterTable
  readonly abandonment: Pick<Abandonment, 'abandon'>
}

/** Passes the engine's notifications on to the hold or acquisition that they are about. */
export class Notifications {
  readonly #deps: NotificationDeps

  constructor(deps: NotificationDeps) {
    this.#deps = deps
  }

  granted(id: string, owner: string, notice: GrantNotice): void {
    if (this.#deps.holds.find(owner)) return
    const waiter = this.#waiterFor(id, owner)
    if (waiter) waiter.granted(notice)
    else this.#abandon(id, owner, notice.leaseMs)
  }

  revoked(owner: string): void {
    this.#deps.holds.find(owner)?.lose('revoked')
    this.#deps.waiters.find(owner)?.revoked()
  }

  opened(id: string, generation: number): void {
    this.#deps.waiters.opened(id, generation)
  }

  /** @param owner - the waiter whose turn it may be; the first one without */
  wake(id: string, owner?: string): void {
    const { holds, waiters } = this.#deps
    if (owner === undefined) {
      waiters.wakeFirst(id)
      return
    }
    if (holds.find(owner)) return
    const waiter = this.#waiterFor(id, owner)
    if (waiter) waiter.wake()
    else this.#abandon(id, owner, 0)
  }

  /** Never one that waits for something else: it would take what it was not given. */
  #waiterFor(id: string, owner: string): Waiter | undefined {
    const waiter = this.#deps.waiters.find(owner)
    return waiter?.address.id === id ? waiter : undefined
  }

  /** No one waits under this owner any more: what the store still has of it would only keep others out. */
  #abandon(id: string, owner: string, leaseMs: number): void {
    const address = this.#deps.session.resolve(id)
    // An address does not say what kind of object it is.
    if (address)
      this.#deps.abandonment.abandon({ address, title: address.name, owner, inDoubt: false, leaseMs })
  }
}
