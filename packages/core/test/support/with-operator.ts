import type { EngineHost, EngineSession, LockEngine, OperatorSession } from '@holdfast/core/engine'
import { memory } from '@holdfast/memory'

/** The memory engine, with other steps for operators. @param stepsOf - called for each client */
export function withOperator(
  stepsOf: (host: EngineHost, session: EngineSession) => Partial<OperatorSession>,
): LockEngine {
  const store = memory()
  return {
    name: store.name,
    traits: store.traits,
    open: (host) => {
      const session = store.open(host)
      const { store: facts, names, steps, inbox, registry, latches, operator } = session
      if (!operator) throw new Error('memory has an operator')
      return {
        ...{ store: facts, names, steps, inbox, registry, latches },
        operator: {
          list: (cursor, filter) => operator.list(cursor, filter),
          clients: () => operator.clients(),
          send: (clientIds, text, before) => operator.send(clientIds, text, before),
          ...stepsOf(host, session),
        },
        prepare: (address) => session.prepare(address),
        close: () => session.close(),
      }
    },
  }
}
