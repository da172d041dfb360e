import { onAbort } from './abort.js'

/** What {@link within} resolves with when time ran out. */
export const timedOut = Symbol('timed out')

/** Settles as `work` does, but resolves with {@link timedOut} if that takes longer than `limitMs`. The work goes on. */
export function within<T>(work: Promise<T>, limitMs: number): Promise<T | typeof timedOut> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // After an event-loop stall timers run before sockets are read. The reply may be lying there already, so it gets
      // one turn of the loop to be read.
      setImmediate(resolve, timedOut)
    }, limitMs)
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}

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
