import type { ListedLock } from '@holdfast/core'
import { lockReader } from './feeds/lock-reading.js'
import type { Findings, FoundLock } from './shared/payloads.js'
import type { DashboardSource } from './source.js'

const mostFound = 50
/** A search that has not come far by then shows what it has found. */
const withinMs = 10_000

/** Searches the store, in small steps, for locks whose names match. Text without `*` and `?` may stand anywhere in the name. */
export async function findLocks(source: DashboardSource, text: string, left: AbortSignal): Promise<Findings> {
  const pattern = /[*?]/.test(text) ? text : `*${text}*`
  const timeout = AbortSignal.timeout(withinMs)
  const listing = source.locks({
    pattern,
    limit: mostFound,
    // It is the time that limits a search here.
    maxKeys: Infinity,
    signal: AbortSignal.any([timeout, left]),
  })
  const found: ListedLock[] = []
  try {
    for await (const each of listing) found.push(each)
  } catch (error) {
    if (!timeout.aborted) throw error
  }
  const { scanned, total, isComplete } = listing.progress
  const locks = await Promise.all(found.map((each) => describe(source, each)))
  return { locks, scanned, total, isComplete }
}

/** A listing tells neither how many permits of a semaphore are taken nor which parties a latch waits for. */
async function describe(source: DashboardSource, listed: ListedLock): Promise<FoundLock> {
  const { name, object, holder, holderCount, waiterCount, remainingMs } = listed
  const isCounted = object === 'semaphore' || object === 'latch'
  // It may be gone by now, or something else.
  const reading = isCounted ? await lockReader(source, object, name)().catch(() => null) : null
  const { semaphore = null, parties = null } = reading ?? {}
  return { name, object, holder, holderCount, waiterCount, remainingMs, semaphore, parties }
}
