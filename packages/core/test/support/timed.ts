/** Resolves with the result, and how long it took from `since`, by default from now. */
export async function timed<T>(
  work: Promise<T>,
  since = performance.now(),
): Promise<{ result: T; tookMs: number }> {
  const result = await work
  return { result, tookMs: performance.now() - since }
}

/**
 * How long the work took by a clock that stands still while this process does: when the machine stalls, that is not the work's
 * fault.
 */
export async function runningMs(work: Promise<unknown>): Promise<number> {
  const tickMs = 10
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), tickMs)
  try {
    await work
  } finally {
    clearInterval(timer)
  }
  return ticks * tickMs
}
