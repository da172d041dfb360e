import { quietHost } from '@holdfast/conformance'
import { redisEngine } from '@holdfast/core'
import type { Inspection, LockEngine, SharedInspection } from '@holdfast/core/engine'
import type { FaultContext } from './faults/fault-context.js'
import type { ObjectName } from './objects.js'
import { isRedis } from './redis-template.js'
import { templateOf, type TemplateSpec } from './template.js'

/** Something that is still there. */
export interface Leftover {
  readonly what: string
  readonly owner: string
}

/** What the servers have of the locks, as engines inspect them, on a way that no fault touches. */
export interface Records {
  /** Of the n-th lock: the count of each owner, or its permits. */
  counts(n: number): Promise<Readonly<Record<string, number>>>
  leftovers(n: number): Promise<Leftover[]>
}

const limit = 100

export function recordsOf(context: FaultContext): Records {
  const { templates } = context.testbed.operatorRoute
  const read = (n: number, spec = templates[n % templates.length]) =>
    inspect(context, context.locks[n] ?? '', spec)
  return {
    counts: async (n) => countsIn(await read(n)),
    async leftovers(n) {
      // Each server may have a vote of a quorum.
      const all = await Promise.all(
        context.object === 'quorum' ? templates.map((spec) => read(n, spec)) : [read(n)],
      )
      return all.flatMap((found) => [
        ...Object.keys(countsIn(found)).map((owner) => ({ owner, what: `hold of ${owner}` })),
        ...found.waiters.map(({ owner }) => ({ owner, what: `queue entry of ${owner}` })),
      ])
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

async function engineOf(spec: TemplateSpec): Promise<LockEngine> {
  const template = await templateOf(spec)
  return isRedis(template) ? redisEngine({ redis: template }) : template
}

async function inspect(
  { object }: FaultContext,
  name: string,
  spec: TemplateSpec | undefined,
): Promise<Inspection | SharedInspection> {
  if (!spec) throw new Error('there is no way to the store')
  const session = (await engineOf(spec)).open(quietHost('chaos-records'))
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
