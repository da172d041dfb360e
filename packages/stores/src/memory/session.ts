import type { EngineHost, EngineSession, Registry } from '@holdfast/core/engine'
import { addressing } from '../documents/index.js'
import type { Notice } from '../documents/steps/index.js'
import { MemoryCommands } from './commands.js'
import { Connection } from './connection.js'
import { MemoryLatches } from './latches.js'
import { MemoryOperator } from './operator.js'
import type { SessionDeps } from './session-deps.js'
import { MemoryFacts } from './store-facts.js'

/** What one client has of the store. */
export class MemorySession implements EngineSession {
  readonly host: EngineHost
  readonly store: MemoryFacts
  readonly names = addressing
  readonly steps: MemoryCommands
  readonly inbox: Connection
  readonly registry: Registry
  readonly latches: MemoryLatches
  readonly operator: MemoryOperator
  readonly #deps: SessionDeps

  constructor(host: EngineHost, deps: SessionDeps) {
    this.host = host
    this.#deps = deps
    const { clientId, client, watchdogTimeoutMs } = host
    this.inbox = new Connection(host, deps.isConnected)
    const store = new MemoryFacts(this.inbox, deps)
    this.store = store
    const send = <T>(step: () => T): Promise<T> => store.send(step)
    this.steps = new MemoryCommands({
      send,
      run: (address, tokenFloor, step) => deps.run(address, tokenFloor, step),
      runLock: (id, tokenFloor, step) => deps.runLock(id, tokenFloor, step),
      runShared: (address, tokenFloor, step) => deps.runShared(address, tokenFloor, step),
    })
    this.registry = {
      register: () => send(() => deps.register(clientId, client, watchdogTimeoutMs)),
      find: (id) => send(() => deps.find(id)),
    }
    this.latches = new MemoryLatches({ clientId, send, run: (id, step) => deps.runLatch(id, step) })
    this.operator = new MemoryOperator({ ...deps.forOperators, send })
  }

  async prepare(): Promise<void> {
    await this.registry.register()
    await this.inbox.subscribe()
  }

  close(): Promise<void> {
    this.#deps.closed(this.host.clientId)
    return this.inbox.close()
  }

  /** Passes on what a step did for an owner of this client, or to it. */
  notify(id: string, notice: Notice): void {
    this.inbox.notify((host) => {
      if (notice.kind === 'revoked') {
        host.revoked(notice.owner)
        return
      }
      const { owner, proof, token, leaseMs, serverUs } = notice
      host.granted(id, owner, { proof, token, leaseMs, serverUs })
    })
  }
}
