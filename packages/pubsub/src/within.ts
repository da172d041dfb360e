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
