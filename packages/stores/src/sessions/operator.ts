import type { EngineHost, ListFilter, OperatorSession } from '@holdfast/core/engine'
import { addressing } from './address.js'
import type { StoreOperator } from './store.js'

/** Steps for operators, on a store that can list queues and clients, and pass texts on. */
export const operatorOf = (store: StoreOperator, host: EngineHost): OperatorSession => ({
  async list(cursor: string | null, { contended }: ListFilter) {
    const startedAt = host.now()
    const page = await store.queues(cursor, host.commandTimeoutMs)
    const wanted = page.queues.filter(({ entries, isContended = entries > 1 }) =>
      contended ? isContended : entries > 0,
    )
    const found = wanted.map(({ queue: { name, object } }) => ({
      address: addressing.locate(name, object),
      object,
    }))
    const costMs = host.now() - startedAt
    return { found, scanned: page.queues.length, total: page.total, costMs, next: page.next }
  },
  clients: () => store.clients(host.commandTimeoutMs),
  send: (clientIds, text) => store.send(clientIds, text, host.commandTimeoutMs),
})
