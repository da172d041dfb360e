import { Holdfast } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { redisson } from '@holdfast/core/redisson'
import { createDashboard } from '@holdfast/cli/dashboard'
import { memory } from '@holdfast/stores/memory'
import { measure } from '@holdfast/core/metrics'
import { postgres } from '@holdfast/stores/postgres'
import { collectHoldfastMetrics } from '@holdfast/core/prometheus'

const engine: LockEngine = memory()

export async function read() {
  await using holdfast = new Holdfast({ engine })
  await using lease = await holdfast.getLock('order').lock()
  return lease.signal.aborted
}

export const used = [redisson, createDashboard, postgres, measure, collectHoldfastMetrics]

declare const pool: {
  readonly totalCount: number
  query(text: string, values: unknown[]): Promise<unknown>
}
const url = 'postgres://localhost/app'

/** Never called: what would be refused does not compile. */
export const refused = async (): Promise<void> => {
  // @ts-expect-error -- only tables that are logged have standbys
  postgres({ url, minReplicas: 1 })
  postgres({ url, minReplicas: 1, tables: 'logged' })
  postgres({ config: { host: 'db', database: 'app', ssl: {} } })
  await using lease = await new Holdfast({ engine }).getLock('order').lock()
  // @ts-expect-error -- a pool has no transaction
  await lease.fence(pool)
}
