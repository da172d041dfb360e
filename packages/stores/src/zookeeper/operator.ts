import type { ConnectedClient } from '@holdfast/core/engine'
import type { QueuePage, StoreOperator } from '../sessions/index.js'
import type { Asking } from './asking.js'
import type { Requests } from './client/requests.js'
import type { Clients } from './clients.js'
import type { Mailbox } from './mailbox.js'
import { isClosed, queueOf, waitersIn, type Paths } from './paths.js'
import { entriesIn } from './queue-directory.js'

export interface OperatorDeps {
  readonly asking: Asking
  readonly requests: Requests
  readonly paths: Paths
}

/** Lists what there is, one shard at a time: a server replies with all children of a node at once. */
export class ZooKeeperOperator implements StoreOperator {
  readonly #deps: OperatorDeps
  readonly #clients: Clients
  readonly #mailbox: Mailbox

  constructor(deps: OperatorDeps, clients: Clients, mailbox: Mailbox) {
    this.#deps = deps
    this.#clients = clients
    this.#mailbox = mailbox
  }

  /** The cursor is the next shard. */
  async queues(cursor: string | null, timeoutMs: number): Promise<QueuePage> {
    const { paths } = this.#deps
    const shards = [...(await this.#children(paths.locks, timeoutMs))].sort()
    const left = cursor === null ? shards : shards.filter((shard) => shard >= cursor)
    const [shard, next] = left
    if (shard === undefined) return { queues: [], total: 0, next: null }
    const nodes = await this.#children(`${paths.locks}/${shard}`, timeoutMs)
    const found = await Promise.all(
      nodes.map((node) => this.#queue(`${paths.locks}/${shard}`, node, timeoutMs)),
    )
    return { queues: found.flat(), total: nodes.length * shards.length, next: next ?? null }
  }

  clients(timeoutMs: number): Promise<readonly ConnectedClient[]> {
    return this.#clients.all(timeoutMs)
  }

  send(clientIds: readonly string[], text: string, timeoutMs: number): Promise<readonly boolean[]> {
    const post = async (clientId: string): Promise<boolean> =>
      (await this.#mailbox.post(clientId, ['text', text], [], timeoutMs)) !== null
    return Promise.all(clientIds.map(post))
  }

  async #queue(shard: string, node: string, timeoutMs: number): Promise<QueuePage['queues']> {
    const queue = queueOf(node)
    if (!queue) return []
    const path = `${shard}/${node}`
    const names = await this.#children(path, timeoutMs)
    if (queue.object !== 'latch') return [{ queue, entries: entriesIn(names) }]
    const waiters = waitersIn(names).length
    return [{ queue, entries: waiters + (isClosed(names) ? 1 : 0), isContended: waiters > 0 }]
  }

  async #children(path: string, timeoutMs: number): Promise<readonly string[]> {
    return (await this.#deps.asking.ask(this.#deps.requests.getChildren(path, false), timeoutMs)) ?? []
  }
}
