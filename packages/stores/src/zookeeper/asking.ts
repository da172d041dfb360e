import { toHoldfastError } from './client/errors.js'
import type { Request } from './client/requests.js'
import type { Session } from './client/session.js'

/** Sends requests; failures become errors of Holdfast's. */
export class Asking {
  readonly name: string
  readonly #session: Session
  /** The leader's clock at some instant of ours. */
  #clock: { readonly leaderMs: number; readonly at: number } | undefined
  readonly #now: () => number

  constructor(session: Session, name: string, now: () => number) {
    this.#session = session
    this.name = name
    this.#now = now
  }

  get session(): string {
    return this.#session.name
  }

  get sessionId(): bigint {
    return this.#session.id
  }

  connect(timeoutMs: number): Promise<void> {
    return this.#guarded(this.#session.connect(timeoutMs))
  }

  /** Sends at once if it can. @param session - the only one in which the request makes sense */
  ask<T>(request: Request<T>, timeoutMs: number, session?: string): Promise<T> {
    return this.#guarded(this.#session.request(request, timeoutMs, session))
  }

  /** Calls back once. Register it before the request that has the server watch: its event may come in the same bytes as the reply. */
  watch(
    kind: 'data' | 'children',
    path: string,
    callback: () => void,
  ): { stop: () => void; fire: () => void } {
    let isOver = false
    const fire = (): void => {
      if (isOver) return
      stop()
      callback()
    }
    const forget = this.#session.watch(kind, path, fire)
    const stop = (): void => {
      isOver = true
      forget()
    }
    return { stop, fire }
  }

  /** A write was carried out at this instant of the leader's clock. */
  learnTime(leaderMs: number | undefined): void {
    if (leaderMs !== undefined) this.#clock = { leaderMs, at: this.#now() }
  }

  /** The leader's clock, at least; `undefined` before the first write. */
  get leaderMs(): number | undefined {
    return this.#clock && this.#clock.leaderMs + (this.#now() - this.#clock.at)
  }

  async #guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw toHoldfastError(error, this.name)
    }
  }
}
