import type { SubscriberHub } from '@holdfast/pubsub'
import type { EngineHost } from '../engine/host.js'
import type { Registry } from '../engine/session.js'
import type { ClientInfo } from '../engine/replies.js'
import type { ScriptConnection } from './connection/script-connection.js'
import { withMeaning } from './errors.js'
import type { KeySpace } from './keys.js'
import { asList, numberAt } from './reply.js'
import { lockScripts } from './scripts/generated.js'

export interface RedisRegistryOptions {
  readonly connection: Pick<ScriptConnection, 'run' | 'readHash'>
  readonly keySpace: KeySpace
  readonly host: Pick<EngineHost, 'clientId' | 'client' | 'watchdogTimeoutMs' | 'warn'>
  /** The client's channel; '' in a cluster, where every message reaches every node. */
  readonly inbox: string
  readonly hub: Pick<SubscriberHub, 'verify'>
}

/**
 * The registrations of clients in Redis, by which an operator can find the process behind an owner. Registering writes, so that only a
 * master carries it out, and says whether that master knows the client's subscription.
 */
export class RedisRegistry implements Registry {
  readonly #options: RedisRegistryOptions

  constructor(options: RedisRegistryOptions) {
    this.#options = options
  }

  /** Also has the subscriber's connection replaced if it leads to another server. */
  async register(): Promise<void> {
    const { hub, inbox } = this.#options
    await (inbox === '' ? this.announce() : hub.verify())
  }

  /**
   * Whether a message that is published at the server for commands would reach this client, as far as that can be known.
   *
   * @param isTested - warns if Redis would refuse to publish to the inbox
   */
  async announce(isTested = false): Promise<boolean> {
    const { connection, keySpace, host: client, inbox } = this.#options
    const { host, pid, label, startedAt } = client.client
    const fields = ['host', host, 'pid', pid, 'label', label, 'startedAt', startedAt.getTime()]
    const call = {
      script: lockScripts.clientRegister,
      keys: [keySpace.registry(client.clientId)],
      args: [client.watchdogTimeoutMs, inbox, isTested ? 1 : 0, ...fields],
    }
    const [subscribers, error] = await connection.run(call, (reply) => {
      const list = asList(reply)
      return [numberAt(list, 0), String(list[1])] as const
    })
    if (error !== '')
      client.warn('NOTICE_REFUSED', `this Redis user may not publish notifications: ${withMeaning(error)}`)
    return subscribers !== 0
  }

  /** What a client registered with; `null` when its registration has expired. */
  async find(clientId: string): Promise<ClientInfo | null> {
    const { connection, keySpace } = this.#options
    const fields = await connection.readHash(keySpace.registry(clientId))
    const { host, pid, label, startedAt } = fields
    if (host === undefined) return null
    return { host, pid: Number(pid), label: label ?? '', startedAt: new Date(Number(startedAt)) }
  }
}
