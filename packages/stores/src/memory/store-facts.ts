import type { StoreFacts } from '@holdfast/core/engine'
import type { Connection } from './connection.js'
import type { SessionDeps } from './session-deps.js'

/** Carries out the steps of one client, and knows which store replied last. */
export class MemoryFacts implements StoreFacts {
  readonly #connection: Connection
  readonly #deps: Pick<SessionDeps, 'count' | 'incarnation' | 'uptimeMs'>
  /** Which store replied last, and before which break that was. */
  #lastReply: { readonly incarnation: string; readonly epoch: number } | undefined

  constructor(connection: Connection, deps: Pick<SessionDeps, 'count' | 'incarnation' | 'uptimeMs'>) {
    this.#connection = connection
    this.#deps = deps
  }

  get connectionEpoch(): number {
    return this.#connection.epoch
  }

  incarnation(): Promise<string> {
    return this.send(() => this.#deps.incarnation)
  }

  knownIncarnation(): string | undefined {
    return this.#lastReply?.epoch === this.#connection.epoch ? this.#lastReply.incarnation : undefined
  }

  uptimeMs(): Promise<number> {
    return this.send(() => this.#deps.uptimeMs)
  }

  /** Carries out a step, whose reply may be lost. */
  send<T>(step: () => T): Promise<T> {
    return this.#connection.send(() => {
      const reply = step()
      const { isReplyLost } = this.#deps.count()
      if (!isReplyLost) {
        this.#lastReply = { incarnation: this.#deps.incarnation, epoch: this.#connection.epoch }
      }
      return { reply, isReplyLost }
    })
  }
}
