import { timedOut, within } from '@holdfast/pubsub'
import { onAbort } from './abort.js'

export { timedOut }

/**
 * Waits for `work` for at most `ms` (`Infinity`: as long as it takes) or until the signal aborts; then rejects with the
 * signal's reason. The work itself goes on: the caller undoes what comes of it.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  signal?: AbortSignal,
): Promise<T | typeof timedOut> {
  signal?.throwIfAborted()
  if (!signal) return ms === Infinity ? work : within(work, ms)
  let stopListening: (() => void) | undefined
  const aborted = new Promise<typeof timedOut>((resolve) => {
    stopListening = onAbort(signal, () => resolve(timedOut))
  })
  try {
    const first = Promise.race([work, aborted])
    const result = await (ms === Infinity ? first : within(first, ms))
    if (result === timedOut) signal.throwIfAborted()
    return result
  } finally {
    stopListening?.()
  }
}
