import { clientOf, type ClientInfo } from '@holdfast/core/engine'
import { addressOf, objectOf, type ObjectAddress } from '../documents/index.js'
import {
  latchKind,
  lockKind,
  lockSteps,
  sharedKind,
  sharedSteps,
  type AnyStep,
  type LatchContext,
  type LatchRecord,
  type LockState,
  type SharedState,
  type StepContext,
} from '../documents/steps/index.js'
import { StoreClock } from './clock.js'
import { Registry } from './registry.js'
import type { MemorySession } from './session.js'
import type { SessionDeps } from './session-deps.js'
import { StateTable } from './state-table.js'

/** How many there have been in this process: each is a store of its own. */
let backends = 0

/** What the sessions of one store share. */
export class Backend implements SessionDeps {
  readonly clock = new StoreClock()
  readonly locks = new StateTable(lockKind)
  /** Read/write locks and semaphores. */
  readonly shared = new StateTable(sharedKind)
  readonly latches = new StateTable(latchKind)
  readonly sessions = new Map<string, MemorySession>()
  readonly #registry = new Registry()
  isConnected = true
  repliesToDrop = 0
  commands = 0
  readonly #number = ++backends
  #incarnation = 1
  /** A store that was never emptied has always been there: tests need not wait for it. */
  #emptiedAtUs = -Infinity

  get incarnation(): string {
    return `${this.#number}.${this.#incarnation}`
  }

  get uptimeMs(): number {
    return (this.clock.nowUs() - this.#emptiedAtUs) / 1_000
  }

  count(): { readonly isReplyLost: boolean } {
    this.commands++
    const isReplyLost = this.repliesToDrop > 0
    if (isReplyLost) this.repliesToDrop--
    return { isReplyLost }
  }

  run<T>({ id, kind }: ObjectAddress, tokenFloor: number, step: AnyStep<T>): T {
    const context = this.#contextOf(id, tokenFloor)
    return kind === 'shared'
      ? this.shared.run(id, context.nowUs, (state) => step(sharedSteps, state, context))
      : this.locks.run(id, context.nowUs, (state) => step(lockSteps, state, context))
  }

  runLock<T>(id: string, tokenFloor: number, step: (state: LockState, context: StepContext) => T): T {
    const context = this.#contextOf(id, tokenFloor)
    return this.locks.run(id, context.nowUs, (state) => step(state, context))
  }

  runShared<T>(
    { id }: ObjectAddress,
    tokenFloor: number,
    step: (state: SharedState, context: StepContext) => T,
  ): T {
    const context = this.#contextOf(id, tokenFloor)
    return this.shared.run(id, context.nowUs, (state) => step(state, context))
  }

  #listed(): ReturnType<SessionDeps['forOperators']['listed']> {
    const locks = [...this.locks.entries()].map(([id, { hold, queue }]) => ({
      id,
      isHeld: hold !== null,
      hasQueue: queue.size > 0,
    }))
    const shared = [...this.shared.entries()].map(([id, { holds, queue }]) => ({
      id,
      isHeld: holds.size > 0,
      hasQueue: queue.size > 0,
    }))
    const latches = [...this.latches.entries()].map(([id, { waiters }]) => ({
      id,
      isHeld: true,
      hasQueue: waiters.size > 0,
    }))
    return [...locks, ...shared, ...latches]
      .filter(({ isHeld, hasQueue }) => isHeld || hasQueue)
      .map(({ id, hasQueue }) => {
        const { name, object } = objectOf(id)
        return { address: addressOf(name, object), object, hasQueue }
      })
  }

  #contextOf(id: string, tokenFloor: number): StepContext {
    return {
      nowUs: this.clock.nowUs(),
      tokenFloor,
      isSubscribed: (owner) => this.sessionOf(owner)?.inbox.isSubscribed() ?? false,
      notify: (notice) => this.sessionOf(notice.owner)?.notify(id, notice),
    }
  }

  runLatch<T>(id: string, step: (latch: LatchRecord, context: LatchContext) => T): T {
    const nowUs = this.clock.nowUs()
    const context: LatchContext = {
      nowUs,
      incarnation: this.incarnation,
      notify: (clientId, what, generation) =>
        this.sessions.get(clientId)?.inbox.notify((host) => {
          if (what === 'open') host.opened(id, generation)
          else host.missed(id)
        }),
    }
    return this.latches.run(id, nowUs, (latch) => step(latch, context))
  }

  readonly forOperators: SessionDeps['forOperators'] = {
    listed: () => this.#listed(),
    connected: () =>
      [...this.sessions.values()]
        .filter(({ inbox }) => inbox.isSubscribed())
        .flatMap(({ host: { clientId } }) => {
          const client = this.find(clientId)
          return client ? [{ clientId, client }] : []
        }),
    tell: (clientId, text) => {
      const inbox = this.sessions.get(clientId)?.inbox
      inbox?.notify((host) => host.onMessage(text))
      return inbox?.isSubscribed() ?? false
    },
  }

  register(clientId: string, info: ClientInfo, ttlMs: number): void {
    this.#registry.register(clientId, info, ttlMs, this.clock.nowUs())
  }

  find(clientId: string): ClientInfo | null {
    return this.#registry.find(clientId, this.clock.nowUs())
  }

  closed(clientId: string): void {
    this.sessions.delete(clientId)
  }

  /** The session whose client made this owner: `<clientId>:<n>`. */
  sessionOf(owner: string): MemorySession | undefined {
    return this.sessions.get(clientOf(owner))
  }

  loseEverything(): void {
    this.locks.clear()
    this.shared.clear()
    this.latches.clear()
    this.#registry.clear()
    this.#incarnation++
    this.#emptiedAtUs = this.clock.nowUs()
  }
}
