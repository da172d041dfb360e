import { onAbort } from './abort.js'

/** What `bounded` answers when time ran out. */
export const timedOut = Symbol('timed out')

/**
 * Waits for `work` for at most `ms` (`Infinity`: as long as it takes), or until the signal aborts; then rejects with
 * the signal's reason. The work itself goes on: the caller undoes what comes of it.
 */
export async function bounded<T>(
  work: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<T | typeof timedOut> {
  if (ms === Infinity && !signal) return work
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void) | undefined
  const end = new Promise<typeof timedOut>((resolve) => {
    const stop = (): void => {
      resolve(timedOut)
    }
    if (ms !== Infinity) timer = setTimeout(stop, ms)
    if (signal) stopListening = onAbort(signal, stop)
  })
  try {
    signal?.throwIfAborted()
    const result = await Promise.race([work, end])
    if (result === timedOut) signal?.throwIfAborted()
    return result
  } finally {
    clearTimeout(timer)
    stopListening?.()
  }
}
