import type { ClientInfo } from '../engine/replies.js'
import type { ScriptConnection } from './connection/script-connection.js'
import type { KeySpace } from './keys.js'
import { asList } from './reply.js'
import { scripts } from './scripts/generated.js'

/** The registrations of clients in Redis, by which an operator can find the process behind an owner. */
export class Registry {
  readonly #connection: Pick<ScriptConnection, 'run' | 'readHash'>
  readonly #keySpace: KeySpace

  constructor(connection: Pick<ScriptConnection, 'run' | 'readHash'>, keySpace: KeySpace) {
    this.#connection = connection
    this.#keySpace = keySpace
  }

  /**
   * Registers a client for `ttlMs`.
   *
   * @param inbox - the channel to test; '' for none, since in a cluster every message reaches every node
   * @returns why Redis would refuse to publish to `inbox`, or '' when it would not
   */
  register(clientId: string, me: ClientInfo, inbox: string, ttlMs: number): Promise<string> {
    const { host, pid, label, startedAt } = me
    const fields = ['host', host, 'pid', pid, 'label', label, 'startedAt', startedAt.getTime()]
    const call = {
      script: scripts.clientRegister,
      keys: [this.#keySpace.registry(clientId)],
      args: [ttlMs, inbox, ...fields],
    }
    return this.#connection.run(call, (reply) => String(asList(reply)[0]))
  }

  /** What a client registered with; `null` when its registration has expired. */
  async find(clientId: string): Promise<ClientInfo | null> {
    const fields = await this.#connection.readHash(this.#keySpace.registry(clientId))
    const { host, pid, label, startedAt } = fields
    if (host === undefined) return null
    return { host, pid: Number(pid), label: label ?? '', startedAt: new Date(Number(startedAt)) }
  }
}
