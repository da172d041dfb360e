import type { EngineHost, Inspection, SharedInspection } from '@holdfast/core/engine'
import type { FaultContext } from './faults/fault-context.js'
import type { ObjectName } from './objects.js'
import type { Records } from './records.js'
import { isRedis } from './redis-template.js'
import { templateOf } from './template.js'

const limit = 100
const commandTimeoutMs = 5_000

/** What a store has of the locks, as its engine inspects them, on a way that no fault touches. */
export function recordsOfEngine(context: FaultContext): Records {
  const read = (n: number) => inspect(context, context.locks[n] ?? '')
  return {
    counts: async (n) => countsIn(await read(n)),
    // An entry, or a document, says all there is to say.
    contradictions: () => Promise.resolve([]),
    async leftovers(n) {
      const found = await read(n)
      return [
        ...Object.keys(countsIn(found)).map((owner) => ({ owner, what: `hold of ${owner}` })),
        ...found.waiters.map(({ owner }) => ({ owner, what: `queue entry of ${owner}` })),
      ]
    },
  }
}

function countsIn(found: Inspection | SharedInspection): Record<string, number> {
  if (found.kind === 'shared')
    return Object.fromEntries(found.holders.map(({ owner, permits }) => [owner, permits]))
  return found.owner === '' ? {} : { [found.owner]: found.count }
}

const typeOf: Readonly<Partial<Record<ObjectName, 'read-write-lock' | 'semaphore'>>> = {
  'read-write-lock': 'read-write-lock',
  semaphore: 'semaphore',
}

async function inspect(
  { testbed, object }: FaultContext,
  name: string,
): Promise<Inspection | SharedInspection> {
  const [spec] = testbed.operatorRoute.templates
  const engine = spec && (await templateOf(spec))
  if (!engine || isRedis(engine)) throw new Error('these records are for engines')
  const session = engine.open(host)
  try {
    const address = session.names.locate(name, typeOf[object] ?? 'lock')
    await session.prepare(address)
    const found = await session.steps.inspect(address, limit)
    if (found.kind === 'not-a-lock') throw new Error(`${name} is no lock`)
    return found
  } finally {
    await session.close()
  }
}

const ignore = (): void => undefined

const host: EngineHost = {
  clientId: 'chaos-records',
  client: { host: 'localhost', pid: process.pid, label: 'records', startedAt: new Date() },
  watchdogTimeoutMs: 10_000,
  renewEveryMs: 3_000,
  commandTimeoutMs,
  now: () => performance.now(),
  granted: ignore,
  revoked: ignore,
  wake: ignore,
  opened: ignore,
  onMessage: ignore,
  missed: ignore,
  unsubscribed: ignore,
  broken: ignore,
  reconnected: ignore,
  warn: ignore,
  error: ignore,
}
