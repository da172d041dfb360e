import type { EngineHost } from '@holdfast/core/engine'
import type { StoreEvents } from '../sessions/index.js'
import type { Asking } from './asking.js'
import { code } from './client/errors.js'
import type { Operation, Requests } from './client/requests.js'
import type { Directories } from './directories.js'
import { readMessages, writeMessages, type Message } from './notes.js'
import type { Paths } from './paths.js'

export interface MailboxDeps {
  readonly asking: Asking
  readonly requests: Requests
  readonly paths: Paths
  readonly directories: Directories
  readonly host: EngineHost
  readonly events: StoreEvents
}

const mostAttempts = 8

/**
 * What other clients tell this one: a node that ends with its session, to which they add, and which it empties. Each names the version
 * that it has read, so nothing is lost or read twice.
 */
export class Mailbox {
  readonly #deps: MailboxDeps
  #stopWatching: (() => void) | undefined

  constructor(deps: MailboxDeps) {
    this.#deps = deps
  }

  async open(timeoutMs: number): Promise<void> {
    const { directories } = this.#deps
    await directories.makeEphemeral(this.#path, writeMessages([]), timeoutMs)
    await this.#read(timeoutMs)
  }

  /**
   * Adds a message to that of a client, together with other operations.
   *
   * @returns what became of each of them; `null`: there is no such client, and nothing was carried out
   */
  async post(
    clientId: string,
    message: Message,
    operations: readonly Operation[],
    timeoutMs: number,
  ): Promise<readonly number[] | null> {
    const { asking, requests, paths } = this.#deps
    const path = paths.mailbox(clientId)
    for (let attempts = 1; ; attempts += 1) {
      const found = await asking.ask(requests.getData(path, false), timeoutMs)
      if (!found) return null
      const { version } = found.stat
      const data = writeMessages([...readMessages(found.data), message])
      const adding: Operation = { kind: 'setData', path, data, version }
      const { errors } = await asking.ask(requests.multi([...operations, adding]), timeoutMs)
      const isOvertaken = operations.every((_, i) => !isOwnFailure(errors[i])) && errors.at(-1) !== 0
      if (!isOvertaken) return errors.slice(0, operations.length)
      if (attempts === mostAttempts) return null
    }
  }

  /** Has the server tell when there is more. Without a reply the watch stays: the next connection tells. */
  async #read(timeoutMs: number): Promise<void> {
    const { asking, requests } = this.#deps
    this.#stopWatching?.()
    const { stop } = asking.watch('data', this.#path, () => this.#readLater())
    this.#stopWatching = stop
    const found = await asking.ask(requests.getData(this.#path, true), timeoutMs)
    const messages = readMessages(found?.data ?? '')
    if (!found || messages.length === 0) return
    const { version } = found.stat
    const empty: Operation = { kind: 'setData', path: this.#path, data: writeMessages([]), version }
    const { errors } = await asking.ask(requests.multi([empty]), timeoutMs)
    // Otherwise there is more, which the watch tells.
    if (errors[0] === 0) for (const message of messages) this.#tell(message)
  }

  #readLater(): void {
    this.#read(this.#deps.host.commandTimeoutMs).catch(() => undefined)
  }

  #tell([kind, text]: Message): void {
    const { events } = this.#deps
    if (kind === 'evicted') events.evicted(text)
    else events.message(text)
  }

  get #path(): string {
    return this.#deps.paths.mailbox(this.#deps.host.clientId)
  }
}

/** Whether an operation failed, and not only because another one did. */
const isOwnFailure = (error: number | undefined): boolean =>
  error !== undefined && error !== 0 && error !== code.runtimeInconsistency
