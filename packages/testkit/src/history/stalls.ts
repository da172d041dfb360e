import { nowMs } from './event.js'
import type { HistoryWriter } from './recorder.js'

/**
 * Writes a `stalled` event whenever this process's event loop stood still for longer than `overMs` (100).
 *
 * Looks every `everyMs` (20), and reports the whole time since the look before. Keeps no process alive. Returns what
 * ends the watch.
 */
export function watchStalls(
  write: HistoryWriter['write'],
  { everyMs = 20, overMs = 100 }: { readonly everyMs?: number; readonly overMs?: number } = {},
): () => void {
  let lookedAtMs = nowMs()
  const timer = setInterval(() => {
    const atMs = nowMs()
    const stalledMs = atMs - lookedAtMs
    lookedAtMs = atMs
    if (stalledMs > overMs + everyMs) write({ kind: 'stalled', atMs, stalledMs })
  }, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
  }
}
