import { clientOf, type ClientInfo } from '@holdfast/core/engine'
import { StoreClock } from './clock.js'
import type { StepContext } from './hand-off.js'
import type { LockState } from './lock-state.js'
import { LockTable } from './lock-table.js'
import { Registry } from './registry.js'
import type { MemorySession, SessionDeps } from './session.js'

/** What the sessions of one store share. */
export class Backend implements SessionDeps {
  readonly clock = new StoreClock()
  readonly locks = new LockTable()
  readonly sessions = new Map<string, MemorySession>()
  readonly #registry = new Registry()
  isConnected = true
  repliesToDrop = 0
  commands = 0
  #incarnation = 1

  get incarnation(): string {
    return String(this.#incarnation)
  }

  count(): { readonly isReplyLost: boolean } {
    this.commands++
    const isReplyLost = this.repliesToDrop > 0
    if (isReplyLost) this.repliesToDrop--
    return { isReplyLost }
  }

  run<T>(id: string, tokenFloor: number, step: (state: LockState, context: StepContext) => T): T {
    const nowUs = this.clock.nowUs()
    const context: StepContext = {
      nowUs,
      tokenFloor,
      isSubscribed: (owner) => this.sessionOf(owner)?.connection.isSubscribed ?? false,
      notify: (notice) => this.sessionOf(notice.owner)?.notify(id, notice),
    }
    return this.locks.run(id, nowUs, (state) => step(state, context))
  }

  register(clientId: string, info: ClientInfo, ttlMs: number): void {
    this.#registry.register(clientId, info, ttlMs, this.clock.nowUs())
  }

  find(clientId: string): ClientInfo | null {
    return this.#registry.find(clientId, this.clock.nowUs())
  }

  closed({ host: { clientId } }: MemorySession): void {
    this.sessions.delete(clientId)
  }

  /** The session whose client made this owner: `<clientId>:<n>`. */
  sessionOf(owner: string): MemorySession | undefined {
    return this.sessions.get(clientOf(owner))
  }

  loseEverything(): void {
    this.locks.clear()
    this.#registry.clear()
    this.#incarnation++
  }
}
