import { nowMs } from './event.js'
import type { HistoryWriter } from './recorder.js'

/**
 * Writes a `stalled` event whenever this process's event loop stalled for longer than `overMs` (100).
 *
 * Checks every `everyMs` (20), and reports the whole time since the previous check. Does not keep the process alive.
 * Returns a function that ends the watch.
 */
export function watchStalls(
  write: HistoryWriter['write'],
  { everyMs = 20, overMs = 100 }: { readonly everyMs?: number; readonly overMs?: number } = {},
): () => void {
  let checkedAtMs = nowMs()
  const timer = setInterval(() => {
    const atMs = nowMs()
    const stalledMs = atMs - checkedAtMs
    checkedAtMs = atMs
    if (stalledMs > overMs + everyMs) write({ kind: 'stalled', atMs, stalledMs })
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
