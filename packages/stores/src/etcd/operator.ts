import type { ClientInfo, ConnectedClient } from '@holdfast/core/engine'
import type { QueuePage, StoreOperator } from '../sessions/index.js'
import { countdown } from './countdown.js'
import { Inbox } from './inbox.js'
import type { Keys } from './keys.js'
import { pageOf, pageRangeOf } from './pages.js'
import type { Requests } from './requests.js'
import * as kv from './wire/kv.js'

/** What operators see and send. */
export class EtcdOperator implements StoreOperator {
  readonly #requests: Requests
  readonly #keys: Keys

  constructor(requests: Requests, keys: Keys) {
    this.#requests = requests
    this.#keys = keys
  }

  async queues(cursor: string | null, timeoutMs: number): Promise<QueuePage> {
    return pageOf(this.#keys, await this.#requests.range(pageRangeOf(this.#keys, cursor), timeoutMs))
  }

  async clients(timeoutMs: number): Promise<readonly ConnectedClient[]> {
    const { keys } = await this.#requests.range(kv.rangeOfPrefix(this.#keys.clients), timeoutMs)
    return keys.map(({ key, value }) => ({ clientId: this.#keys.clientOf(key), client: infoOf(value) }))
  }

  /** A letter goes to a client that is known at that instant. It is lost if the session of either ends before it is read. */
  send(clientIds: readonly string[], text: string, timeoutMs: number): Promise<readonly boolean[]> {
    const left = countdown(timeoutMs)
    return this.#requests.ofSession(left, (lease) =>
      Promise.all(
        clientIds.map(async (clientId) => {
          const put = kv.thenPut(kv.putOf(this.#keys.letter(clientId), Inbox.message(text), lease))
          const isKnown = kv.isThere(this.#keys.client(clientId))
          return (await this.#requests.txn(kv.txnOfOperations([isKnown], [put]), left())).isDone
        }),
      ),
    )
  }
}

/** How a client described itself. */
export function infoOf(text: string): ClientInfo {
  const info = JSON.parse(text) as Omit<ClientInfo, 'startedAt'> & { readonly startedAt: string }
  return { ...info, startedAt: new Date(info.startedAt) }
}
