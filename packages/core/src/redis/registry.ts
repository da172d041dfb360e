import type { EngineHost } from '../engine/host.js'
import type { Registry } from '../engine/registry.js'
import type { ClientInfo } from '../engine/replies.js'
import type { ScriptConnection } from './connection/script-connection.js'
import type { KeySpace } from './keys.js'
import { asList } from './reply.js'
import { scripts } from './scripts/generated.js'

/** The registrations of clients in Redis, by which an operator can find the process behind an owner. */
export class RedisRegistry implements Registry {
  readonly #connection: Pick<ScriptConnection, 'run' | 'readHash'>
  readonly #keySpace: KeySpace
  readonly #host: Pick<EngineHost, 'clientId' | 'client' | 'watchdogTimeoutMs' | 'warn'>

  constructor(
    connection: Pick<ScriptConnection, 'run' | 'readHash'>,
    keySpace: KeySpace,
    host: Pick<EngineHost, 'clientId' | 'client' | 'watchdogTimeoutMs' | 'warn'>,
  ) {
    this.#connection = connection
    this.#keySpace = keySpace
    this.#host = host
  }

  /** @param inbox - warns if Redis would refuse to publish to this channel; '': no test, since in a cluster every message reaches every node */
  async register(inbox = ''): Promise<void> {
    const { clientId, client, watchdogTimeoutMs } = this.#host
    const { host, pid, label, startedAt } = client
    const fields = ['host', host, 'pid', pid, 'label', label, 'startedAt', startedAt.getTime()]
    const call = {
      script: scripts.clientRegister,
      keys: [this.#keySpace.registry(clientId)],
      args: [watchdogTimeoutMs, inbox, ...fields],
    }
    const error = await this.#connection.run(call, (reply) => String(asList(reply)[0]))
    if (error !== '') {
      this.#host.warn('NOTICE_REFUSED', `this Redis user may not publish notifications: ${error}`)
    }
  }

  /** What a client registered with; `null` when its registration has expired. */
  async find(clientId: string): Promise<ClientInfo | null> {
    const fields = await this.#connection.readHash(this.#keySpace.registry(clientId))
    const { host, pid, label, startedAt } = fields
    if (host === undefined) return null
    return { host, pid: Number(pid), label: label ?? '', startedAt: new Date(Number(startedAt)) }
  }
}
