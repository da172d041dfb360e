import type { ClientInfo, ConnectedClient, EngineHost } from '@holdfast/core/engine'
import type { Asking } from './asking.js'
import type { Operation, Requests } from './client/requests.js'
import type { Directories } from './directories.js'
import type { Mailbox } from './mailbox.js'
import { readClient, writeClient } from './notes.js'
import { decode, type Paths } from './paths.js'

export interface ClientsDeps {
  readonly asking: Asking
  readonly requests: Requests
  readonly paths: Paths
  readonly directories: Directories
  readonly mailbox: Mailbox
  readonly host: EngineHost
  readonly sessionMs: () => number
}

/** Who the clients are. */
export class Clients {
  readonly #deps: ClientsDeps

  constructor(deps: ClientsDeps) {
    this.#deps = deps
  }

  /** The operation that proves the session, as it writes this client's node. */
  get proof(): Operation {
    return { kind: 'setData', path: this.#path, data: this.#note }
  }

  async announce(timeoutMs: number): Promise<void> {
    const { directories, mailbox } = this.#deps
    await directories.makeEphemeral(this.#path, this.#note, timeoutMs)
    await mailbox.open(timeoutMs)
  }

  async find(clientId: string, timeoutMs: number): Promise<ClientInfo | null> {
    const { asking, requests, paths } = this.#deps
    const found = await asking.ask(requests.getData(paths.client(clientId), false), timeoutMs)
    return (found && readClient(found.data)?.client) ?? null
  }

  async all(timeoutMs: number): Promise<readonly ConnectedClient[]> {
    const { asking, requests, paths } = this.#deps
    const names = (await asking.ask(requests.getChildren(paths.clients, false), timeoutMs)) ?? []
    const found = names.map(async (name) => {
      const clientId = decode(name)
      const client = clientId === null ? null : await this.find(clientId, timeoutMs)
      return clientId === null || client === null ? [] : [{ clientId, client }]
    })
    return (await Promise.all(found)).flat()
  }

  get #path(): string {
    return this.#deps.paths.client(this.#deps.host.clientId)
  }

  get #note(): string {
    return writeClient({ client: this.#deps.host.client, sessionMs: this.#deps.sessionMs() })
  }
}
