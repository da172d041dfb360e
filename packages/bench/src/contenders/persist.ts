/** Tries again for as long as the library gives up waiting: scenarios have as many waiters as they need. */
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
