import type { EngineSession, GrantNotice } from '../engine/session.js'
import type { Abandonment } from '../holding/abandonment.js'
import type { LossReason } from '../errors.js'
import type { WaiterTable } from './waiter-table.js'

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
    const waiter = this.#deps.waiters.find(owner)
    if (waiter) waiter.granted(notice)
    else this.#abandon(id, owner, notice.leaseMs)
  }

  revoked(owner: string): void {
    this.#deps.holds.find(owner)?.lose('revoked')
    this.#deps.waiters.find(owner)?.revoked()
  }

  /** @param owner - the waiter whose turn it may be; the first one without */
  wake(id: string, owner?: string): void {
    const { holds, waiters } = this.#deps
    if (owner === undefined) {
      waiters.wakeFirst(id)
      return
    }
    if (holds.find(owner)) return
    const waiter = waiters.find(owner)
    if (waiter) waiter.wake()
    else this.#abandon(id, owner, 0)
  }

  /** No one waits under this owner any more: what the store still has of it would only keep others out. */
  #abandon(id: string, owner: string, leaseMs: number): void {
    const address = this.#deps.session.resolve(id)
    if (address) this.#deps.abandonment.abandon(address, owner, false, leaseMs)
  }
}
