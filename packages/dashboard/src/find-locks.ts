import type { Findings, FoundLock } from './shared/payloads.js'
import type { DashboardSource } from './source.js'

const mostFound = 50
/** A search that has not come far by then shows what it has found. */
const withinMs = 10_000

/** Searches the store, in small steps, for locks whose names match. Text without `*` and `?` may stand anywhere in the name. */
export async function findLocks(
  source: Pick<DashboardSource, 'locks'>,
  text: string,
  left: AbortSignal,
): Promise<Findings> {
  const pattern = /[*?]/.test(text) ? text : `*${text}*`
  const timeout = AbortSignal.timeout(withinMs)
  const listing = source.locks({
    pattern,
    limit: mostFound,
    // It is the time that limits a search here.
    maxKeys: Infinity,
    signal: AbortSignal.any([timeout, left]),
  })
  const locks: FoundLock[] = []
  try {
    for await (const { name, object, holder, waiterCount, remainingMs } of listing) {
      locks.push({ name, object, holder, waiterCount, remainingMs })
    }
  } catch (error) {
    if (!timeout.aborted) throw error
  }
  const { scanned, total, isComplete } = listing.progress
  return { locks, scanned, total, isComplete }
}
