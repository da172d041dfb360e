import { hostname } from 'node:os'
import type { KeySpace } from './keys.js'
import type { CommandLink } from './connection/script-connection.js'
import { asList } from './reply.js'
import { scripts } from './scripts/generated.js'

/** Who a client is, as it said itself. */
export interface ClientInfo {
  /** The name of its machine. */
  readonly host: string
  /** Its process id there. */
  readonly pid: number
  /** The `label` option; '' without one. */
  readonly label: string
  /** When the client was made, by its own wall clock. */
  readonly startedAt: Date
}

/** Word of who each client is, left in Redis so that an operator can find the process behind an owner. */
export class Registry {
  readonly #link: CommandLink
  readonly #keySpace: KeySpace
  readonly #startedAt = Date.now()

  constructor(link: CommandLink, keySpace: KeySpace) {
    this.#link = link
    this.#keySpace = keySpace
  }

  /**
   * Leaves word of this client for `ttlMs`.
   *
   * @param inbox - the channel to try; '' not to, since in a cluster every message reaches every node
   * @returns why Redis would refuse to publish to `inbox`, or '' when it would not
   */
  register(clientId: string, label: string, inbox: string, ttlMs: number): Promise<string> {
    const fields = ['host', hostname(), 'pid', process.pid, 'label', label, 'startedAt', this.#startedAt]
    const call = {
      script: scripts.clientRegister,
      keys: [this.#keySpace.registry(clientId)],
      args: [ttlMs, inbox, ...fields],
    }
    return this.#link.run(call, (reply) => String(asList(reply)[0]))
  }

  /** What a client said of itself; `null` when it said nothing for a while. */
  async find(clientId: string): Promise<ClientInfo | null> {
    const fields = await this.#link.readHash(this.#keySpace.registry(clientId))
    const { host, pid, label, startedAt } = fields
    if (host === undefined) return null
    return { host, pid: Number(pid), label: label ?? '', startedAt: new Date(Number(startedAt)) }
  }
}
