import type { CommandConnection } from './types.js'

/**
 * Has a connection made anew when its handshake gets no reply: ioredis limits the time until the socket is connected, and then
 * waits for ever (5.11.1 and 6.0.0), behind a proxy that has lost the server, say. A server that is loading its data replies.
 *
 * @param limitMs - how long nothing may be received
 * @param onSilent - is told why, before the connection is closed
 */
export function limitHandshake(
  commands: CommandConnection,
  limitMs: number,
  onSilent: (error: Error) => void,
): void {
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => clearTimeout(timer)
  commands.on('connect', () => {
    let seen = 0
    stop()
    timer = setInterval(() => {
      const received = commands.stream?.bytesRead ?? 0
      if (received === seen) {
        onSilent(new Error(`the connection was accepted, and nothing has come back within ${limitMs} ms`))
        commands.disconnect(true)
      }
      seen = received
    }, limitMs)
    // This timer must not keep the process alive; the socket does.
    timer.unref()
  })
  commands.on('ready', stop)
  commands.on('close', stop)
}
