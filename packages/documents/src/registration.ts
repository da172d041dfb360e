import type { ClientInfo, EngineHost, Registry } from '@holdfast/core/engine'
import { parsed } from './codec.js'
import type { CoarseClock } from './coarse-clock.js'
import type { DocumentFacts } from './facts.js'
import type { DocumentSession } from './store.js'

/** A client as it registers. */
type WrittenClient = Omit<ClientInfo, 'startedAt'> & { readonly startedAt: string; readonly untilUs: number }

const clientPrefix = 'client:'

/** What clients register with, one document each. */
export class Registration implements Registry {
  readonly #host: EngineHost
  readonly #session: DocumentSession
  readonly #facts: DocumentFacts
  readonly #clock: CoarseClock

  constructor(host: EngineHost, session: DocumentSession, facts: DocumentFacts, clock: CoarseClock) {
    this.#host = host
    this.#session = session
    this.#facts = facts
    this.#clock = clock
  }

  /** Nobody else writes this document. A replacement that fails met an older one of this client that came late. */
  async register(): Promise<void> {
    const { clientId, client, watchdogTimeoutMs, commandTimeoutMs } = this.#host
    const key = clientPrefix + clientId
    const { version, nowUs } = await this.#facts.read(key, commandTimeoutMs)
    const keepMs = this.#clock.atLeast(watchdogTimeoutMs)
    const written = { ...client, untilUs: nowUs + keepMs * 1_000 }
    await this.#session.replace(key, JSON.stringify(written), version, keepMs, commandTimeoutMs)
  }

  async find(clientId: string): Promise<ClientInfo | null> {
    const { text, nowUs } = await this.#facts.read(clientPrefix + clientId, this.#host.commandTimeoutMs)
    const written = parsed(text) as WrittenClient | undefined
    if (!written || written.untilUs <= nowUs) return null
    const { host, pid, label, startedAt } = written
    return { host, pid, label, startedAt: new Date(startedAt) }
  }
}
