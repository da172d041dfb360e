/** How much is left of a time limit, whole milliseconds, at least 1: for steps of several requests. */
export function countdown(timeoutMs: number): () => number {
  const endAt = performance.now() + timeoutMs
  return () => Math.max(1, Math.ceil(endAt - performance.now()))
}
