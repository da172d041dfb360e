import { clientOptions } from '@holdfast/chaos'
import type { CheckOptions } from '@holdfast/testkit'
import type { EngineName } from './program/stores.js'

/** By what the promises are judged: nothing is late here but by a cause. */
export function limitsFor(engine: EngineName, rates: Readonly<Record<string, number>>): CheckOptions {
  const { commandTimeoutMs } = clientOptions
  return {
    rates,
    settleMs: 10_000,
    recoveryMs: 1_500,
    slackMs: 100,
    commandTimeoutMs,
    handOffMs: engine === 'documents' ? 100 : 30,
    drawsTokensInTurn: engine !== 'sessions',
    // At first contact, by an address that leads to several servers.
    ...(engine === 'redis' && { mayRefuse: /the Redis server is a replica/ }),
  }
}
