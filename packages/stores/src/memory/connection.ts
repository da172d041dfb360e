import { AsyncResource } from 'node:async_hooks'
import { ClosedError, UnavailableError, type EngineHost, type Inbox } from '@holdfast/core/engine'

const unavailable = (message: string): UnavailableError => new UnavailableError(message, { engine: 'memory' })

/**
 * Stands in for the connection between one client and the store. Replies and notifications arrive in the order in which the
 * store sent them, later than they were sent, and none outlives a break. No timer is involved, so fake ones change nothing.
 */
export class Connection implements Inbox {
  readonly #host: EngineHost
  /** What arrives belongs to the client, and not to the async context of the caller that brought it about. */
  readonly #context = new AsyncResource('HoldfastMemory')
  readonly #waitingToSubscribe = new Set<{
    readonly resolve: () => void
    readonly reject: (error: Error) => void
  }>()
  #arriving = Promise.resolve()
  #epoch = 0
  #isUp: boolean
  #isClosed = false
  #wantsNotifications = false

  constructor(host: EngineHost, isUp: boolean) {
    this.#host = host
    this.#isUp = isUp
  }

  /** How often the connection broke. */
  get epoch(): number {
    return this.#epoch
  }

  isSubscribed(): boolean {
    return this.#isUp && this.#wantsNotifications && !this.#isClosed
  }

  /**
   * Sends a step to the store, where it is carried out at once.
   *
   * @param step - carries it out; `isReplyLost`: the caller gets no reply
   */
  send<T>(step: () => { readonly reply: T; readonly isReplyLost: boolean }): Promise<T> {
    if (this.#isClosed) return Promise.reject(closed())
    const epoch = this.#epoch
    const sent = this.#isUp ? step() : undefined
    return new Promise((resolve, reject) => {
      this.#arrive(() => {
        if (this.#isClosed) reject(closed())
        else if (!sent) reject(unavailable('the memory store is disconnected'))
        else if (epoch !== this.#epoch) reject(unavailable('the connection to the memory store broke'))
        else if (sent.isReplyLost) reject(unavailable("the memory store's reply was lost"))
        else resolve(sent.reply)
      })
    })
  }

  /** Reports something to the client, unless the connection breaks before that arrives. */
  notify(report: (host: EngineHost) => void): void {
    if (!this.isSubscribed()) return
    const epoch = this.#epoch
    this.#arrive(() => {
      if (epoch === this.#epoch) this.#report(report)
    })
  }

  /** What arrives from now on comes some turns of the microtask queue later: others look at their holds in that time. */
  delay(): void {
    for (let turn = 0; turn < turnsOfALook; turn++) this.#arrive(() => undefined)
  }

  /** Resolves once notifications arrive. */
  subscribe(): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed())
    this.#wantsNotifications = true
    return new Promise((resolve, reject) => {
      if (this.#isUp) this.#arrive(resolve)
      else this.#waitingToSubscribe.add({ resolve, reject })
    })
  }

  break(): void {
    const wasSubscribed = this.isSubscribed()
    this.#epoch++
    this.#isUp = false
    this.#arrive(() => {
      this.#report((host) => {
        host.broken()
        if (wasSubscribed) host.unsubscribed(unavailable('the memory store is disconnected'))
      })
    })
  }

  restore(): void {
    this.#isUp = true
    const subscribing = [...this.#waitingToSubscribe]
    this.#waitingToSubscribe.clear()
    this.#arrive(() => {
      for (const { resolve } of subscribing) resolve()
      this.#report((host) => {
        if (this.isSubscribed()) host.missed()
        host.reconnected()
      })
    })
  }

  close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waitingToSubscribe) reject(closed())
    this.#waitingToSubscribe.clear()
    return new Promise((resolve) => this.#arrive(resolve))
  }

  #arrive(action: () => void): void {
    this.#arriving = this.#arriving.then(action)
  }

  #report(report: (host: EngineHost) => void): void {
    if (!this.#isClosed) this.#context.runInAsyncScope(report, undefined, this.#host)
  }
}

/** Twice as many as it takes a client to renew its holds after it was notified. */
const turnsOfALook = 16

const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')
