/** Resolves with the result, and how long it took from `since`, by default from now. */
export async function timed<T>(
  work: Promise<T>,
  since = performance.now(),
): Promise<{ result: T; tookMs: number }> {
  const result = await work
  return { result, tookMs: performance.now() - since }
}
