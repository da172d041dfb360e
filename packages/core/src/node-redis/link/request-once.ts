import { ConnectionLostError, toError } from './errors.js'
import { Link } from './link.js'
import type { LinkSettings, LinkTarget } from './link.js'

/** For each of a connection, its handshake and the reply: a frozen server must not hold up the search for another. */
const limitMs = 1_000

const ignore = (): void => undefined

/**
 * Sends one command on a connection of its own. Rejects with a `ConnectionLostError` if it could not connect.
 *
 * @param signal - ends it at once
 */
export async function requestOnce(
  target: LinkTarget,
  given: LinkSettings,
  words: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const settings = { ...given, connectTimeoutMs: Math.min(given.connectTimeoutMs, limitMs) }
  const link = new Link(target, settings, { onMessage: ignore, onMoved: ignore, onEnd: ignore })
  const end = (): void => link.destroy()
  const timer = setTimeout(end, 2 * limitMs)
  signal.addEventListener('abort', end)
  try {
    await link.open()
    return await link.send(words)
  } catch (error) {
    if (!link.isReached) throw new ConnectionLostError(toError(error))
    throw error instanceof ConnectionLostError ? new Error(`no reply to ${words.join(' ')}`) : error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    end()
  }
}
