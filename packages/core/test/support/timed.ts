/** Resolves with the result, and how long it took from `since`, by default from now. */
export async function timed<T>(
  work: Promise<T>,
  since = performance.now(),
): Promise<{ result: T; tookMs: number }> {
  const result = await work
  return { result, tookMs: performance.now() - since }
}

/** The longest pause of this process that is not taken for a stall of the machine. */
const longestPauseMs = 100

/** How long the work took, without stalls of the machine: those are not the work's fault. */
export async function runningMs(work: Promise<unknown>): Promise<number> {
  let lastAt = performance.now()
  let passedMs = 0
  const look = (): void => {
    const now = performance.now()
    passedMs += Math.min(now - lastAt, longestPauseMs)
    lastAt = now
  }
  const timer = setInterval(look, 10)
  try {
    await work
  } finally {
    clearInterval(timer)
  }
  look()
  return passedMs
}
