import { reply } from './replies.js'
import type { Reply } from './exchange.js'

/** Proxies end connections on which nothing comes for a while, often after 30 or 60 seconds. */
const commentEveryMs = 15_000
const reconnectAfterMs = 2_000

/**
 * A stream of server-sent events.
 *
 * @param open - called with what sends one value, and what ends the stream; returns what to call when the reader has left
 */
export function eventStream(open: (send: (value: unknown) => void, end: () => void) => () => void): Reply {
  const headers = {
    // Nothing on the way may hold back or repack what should arrive at once.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  }
  return {
    ...reply(200, 'text/event-stream; charset=utf-8', '', headers),
    stream: (write, end) => {
      const state = { isOpen: true }
      let leave = (): void => undefined
      const close = (): void => {
        if (!state.isOpen) return
        state.isOpen = false
        clearInterval(timer)
        leave()
      }
      const send = (text: string): void => {
        if (state.isOpen) write(text)
      }
      const timer = setInterval(() => send(': still here\n\n'), commentEveryMs)
      // The connection keeps the process alive, not this timer.
      timer.unref()
      send(`retry: ${reconnectAfterMs}\n\n`)
      try {
        leave = open(
          (value) => send(`data: ${JSON.stringify(value)}\n\n`),
          () => {
            // A slow reader takes a while to get what was sent, and nothing may be written after the end.
            close()
            end()
          },
        )
      } catch (error) {
        close()
        throw error
      }
      // It may have ended while it was opened.
      if (!state.isOpen) leave()
      return close
    },
  }
}
