import type { QueuePage } from '../sessions/index.js'
import { isEntryKey, isLatchClosed, isLatchWait, type Keys } from './keys.js'
import * as kv from './wire/kv.js'

/** How many keys are read for one page. */
const keysPerPage = 2_000

/** The next keys after a cursor: the first key of a queue that was not listed. */
export const pageRangeOf = (keys: Keys, cursor: string | null): Buffer =>
  kv.rangeOfPrefix(keys.queues, { keysOnly: true, limit: keysPerPage, from: cursor ?? keys.queues })

/**
 * The queues of these keys. The last one may go on in the next page, and is left to it; a queue that alone fills a page is listed with what
 * was read of it.
 */
export function pageOf(keys: Keys, { keys: found, count }: kv.RangeReply): QueuePage {
  const byQueue = new Map<string, { entries: number; waits: number }>()
  for (const { key } of found) {
    const queue = key.slice(0, key.lastIndexOf('/') + 1)
    const { entries, waits } = byQueue.get(queue) ?? { entries: 0, waits: 0 }
    const isWait = isLatchWait(key)
    const isListed = isEntryKey(key) || isLatchClosed(key) || isWait
    byQueue.set(queue, { entries: entries + (isListed ? 1 : 0), waits: waits + (isWait ? 1 : 0) })
  }
  const hasMore = count > found.length
  const total = found.length === 0 ? 0 : Math.round((byQueue.size * count) / found.length)
  const last = [...byQueue.keys()].at(-1)
  let next: string | null = null
  if (hasMore && last !== undefined) {
    next = byQueue.size > 1 ? last : kv.endOf(last).toString()
    if (byQueue.size > 1) byQueue.delete(last)
  }
  const queues = [...byQueue].flatMap(([key, { entries, waits }]) => {
    const queue = keys.queueOf(key)
    // Only resized, or an open latch: nobody holds or waits.
    if (!queue || entries === 0) return []
    return [{ queue, entries, isContended: queue.object === 'latch' ? waits > 0 : entries > 1 }]
  })
  return { queues, total, next }
}
