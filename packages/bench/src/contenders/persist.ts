/** Retries whenever the library gives up waiting, so that a scenario keeps all its waiters. */
export async function persist<T>(
  attempt: () => Promise<T>,
  hasGivenUp: (error: unknown) => boolean,
): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!hasGivenUp(error)) throw error
    }
  }
}
