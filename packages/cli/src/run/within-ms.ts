/** Waits for a promise, but no longer than that. Rejects as it does. */
export async function withinMs(ms: number, promise: Promise<unknown>): Promise<'done' | 'timed out'> {
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<'timed out'>((resolve) => {
    timer = setTimeout(() => resolve('timed out'), ms)
  })
  try {
    return await Promise.race([promise.then(() => 'done' as const), timedOut])
  } finally {
    clearTimeout(timer)
  }
}
