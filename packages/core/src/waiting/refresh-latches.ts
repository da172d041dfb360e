import { splitIntoBatches } from '@holdfast/watchdog'
import type { Awaited, LatchSession } from '../engine/latch.js'
import type { Address } from '../engine/requests.js'
import type { Waiter, WaiterTable } from './waiter-table.js'

const maxBatch = 500

interface LatchRefreshDeps {
  readonly latches: LatchSession
  /** How long the client is to be notified from now on. */
  readonly aliveMs: number
  readonly timeoutMs: number
}

/** One opening, and all waiters of this client for it. */
interface Opening {
  readonly address: Address
  readonly awaited: Awaited | undefined
  readonly waiters: Waiter[]
}

/** Has the store go on notifying this client: once for each opening, however many wait for it here. */
export async function refreshLatches(
  waiting: readonly Waiter[],
  table: WaiterTable,
  deps: LatchRefreshDeps,
): Promise<void> {
  const batches = [...splitIntoBatches(openingsOf(waiting), ({ address }) => address.group, maxBatch)]
  await Promise.all(batches.map((batch) => refreshBatch(batch, table, deps)))
}

async function refreshBatch(
  batch: readonly Opening[],
  table: WaiterTable,
  { latches, aliveMs, timeoutMs }: LatchRefreshDeps,
): Promise<void> {
  const waits = batch.map(({ address, awaited }) => ({ address, awaited, aliveMs }))
  const replies = await latches.wait(waits, timeoutMs)
  batch.forEach(({ address, waiters }, i) => {
    const reply = replies[i]
    if (reply?.kind === 'closed') {
      table.noteTtl(address, Infinity)
      return
    }
    if (reply?.kind === 'passed') table.opened(address.id, reply.generation)
    // Those that are still waiting learn by themselves why.
    for (const waiter of waiters) waiter.wake()
  })
}

function openingsOf(waiting: readonly Waiter[]): Opening[] {
  const openings = new Map<string, Opening>()
  for (const waiter of waiting) {
    const { address, awaited } = waiter
    const key = `${String(awaited?.generation)} ${String(awaited?.isBound)} ${address.id}`
    const opening = openings.get(key) ?? { address, awaited, waiters: [] }
    opening.waiters.push(waiter)
    openings.set(key, opening)
  }
  return [...openings.values()]
}
