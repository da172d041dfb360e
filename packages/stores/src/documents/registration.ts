import type { ClientInfo, EngineHost, Registry } from '@holdfast/core/engine'
import { parsed } from './codec.js'
import type { CoarseClock } from './coarse-clock.js'
import type { DocumentFacts } from './facts.js'
import type { Mail } from './mail.js'
import type { DocumentSession } from './store.js'

/** A client as it registers. */
type WrittenClient = Omit<ClientInfo, 'startedAt'> & { readonly startedAt: string; readonly untilUs: number }

export const clientPrefix = 'client:'

/** What registering needs of its client and session. */
export interface RegistrationDeps {
  readonly host: Pick<EngineHost, 'clientId' | 'client' | 'watchdogTimeoutMs' | 'commandTimeoutMs'>
  readonly session: Pick<DocumentSession, 'replace'>
  readonly facts: DocumentFacts
  readonly clock: CoarseClock
  /** Of this client, if it can get any: who is registered looks into it. */
  readonly mail: Mail | undefined
}

/** What clients register with, one document each. */
export class Registration implements Registry {
  readonly #host: RegistrationDeps['host']
  readonly #session: RegistrationDeps['session']
  readonly #facts: DocumentFacts
  readonly #clock: CoarseClock
  readonly #mail: Mail | undefined

  constructor({ host, session, facts, clock, mail }: RegistrationDeps) {
    this.#host = host
    this.#session = session
    this.#facts = facts
    this.#clock = clock
    this.#mail = mail
  }

  /** Nobody else writes this document. A replacement that fails met an older one of this client that came late. */
  async register(): Promise<void> {
    const { clientId, client, watchdogTimeoutMs, commandTimeoutMs } = this.#host
    const key = clientPrefix + clientId
    const { version, nowUs } = await this.#facts.read(key, commandTimeoutMs)
    const keepMs = this.#clock.atLeast(watchdogTimeoutMs)
    const written = { ...client, untilUs: nowUs + keepMs * 1_000 }
    await this.#session.replace(key, JSON.stringify(written), version, keepMs, commandTimeoutMs)
    this.#mail?.watch()
  }

  /** A client that has closed is not listed any more. At a store that does not reply it is until its registration is over. */
  async withdraw(timeoutMs: number): Promise<void> {
    const key = clientPrefix + this.#host.clientId
    const { text, version } = await this.#facts.read(key, timeoutMs)
    if (text !== '') await this.#session.replace(key, '', version, 0, timeoutMs)
  }

  async find(clientId: string): Promise<ClientInfo | null> {
    const { text, nowUs } = await this.#facts.read(clientPrefix + clientId, this.#host.commandTimeoutMs)
    return readClient(text, nowUs)
  }
}

/** `null`: its registration is over. */
export function readClient(text: string, nowUs: number): ClientInfo | null {
  const written = parsed(text) as WrittenClient | undefined
  if (!written || written.untilUs <= nowUs) return null
  const { host, pid, label, startedAt } = written
  return { host, pid, label, startedAt: new Date(startedAt) }
}
