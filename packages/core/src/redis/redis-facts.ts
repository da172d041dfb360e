import type { StoreFacts } from '../engine/store-facts.js'
import type { UnavailableError } from '../errors/errors.js'
import type { ScriptConnection } from './connection/script-connection.js'
import type { Keys } from './keys.js'
import type { ServerIdentity } from './server-identity.js'

/** What a client knows of its servers, key by key. */
export class RedisFacts implements StoreFacts {
  readonly name: string
  readonly #connection: Pick<ScriptConnection, 'epoch' | 'doubt'>
  readonly #servers: ServerIdentity

  constructor(name: string, connection: Pick<ScriptConnection, 'epoch' | 'doubt'>, servers: ServerIdentity) {
    this.name = name
    this.#connection = connection
    this.#servers = servers
  }

  get connectionEpoch(): number {
    return this.#connection.epoch
  }

  get doubt(): UnavailableError | undefined {
    return this.#connection.doubt
  }

  incarnation({ main }: Keys): Promise<string | undefined> {
    return this.#servers.runId(main)
  }

  knownIncarnation({ main }: Keys): string | null | undefined {
    return this.#servers.known(main) ?? (this.#servers.isRefused ? null : undefined)
  }

  async uptimeMs({ main }: Keys): Promise<number | undefined> {
    return (await this.#servers.read(main)).uptimeMs
  }
}
