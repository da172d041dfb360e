import type { QueuePage } from '@holdfast/session-queue'
import { isEntryKey, type Keys } from './keys.js'
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
  const byQueue = new Map<string, number>()
  for (const { key } of found) {
    const queue = key.slice(0, key.lastIndexOf('/') + 1)
    byQueue.set(queue, (byQueue.get(queue) ?? 0) + (isEntryKey(key) ? 1 : 0))
  }
  const hasMore = count > found.length
  const total = found.length === 0 ? 0 : Math.round((byQueue.size * count) / found.length)
  const last = [...byQueue.keys()].at(-1)
  let next: string | null = null
  if (hasMore && last !== undefined) {
    next = byQueue.size > 1 ? last : kv.endOf(last).toString()
    if (byQueue.size > 1) byQueue.delete(last)
  }
  const queues = [...byQueue].flatMap(([key, entries]) => {
    const queue = keys.queueOf(key)
    // Only resized: nobody holds or waits.
    return queue && entries > 0 ? [{ queue, entries }] : []
  })
  return { queues, total, next }
}
