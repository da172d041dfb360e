/** One way to get a server. `null`: there is none this way, try the next one. */
export type Step<T> = () => Promise<T | null>

/**
 * What the first step opens that has something. One that fails is passed over.
 *
 * @param none - the error if there is nothing, with the failures as its cause
 */
export async function openFirst<T>(
  steps: readonly Step<T>[],
  none: (details: ErrorOptions | undefined) => Error,
): Promise<T> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      const opened = await step()
      if (opened !== null) return opened
    } catch (error) {
      failures.push(error)
    }
  }
  throw none(failures.length > 0 ? { cause: new AggregateError(failures) } : undefined)
}

/** Stops a container once, however often it is called. */
export function stopping(container: {
  stop(options: { timeout: number }): Promise<unknown>
}): () => Promise<void> {
  let stopped: Promise<unknown> | undefined
  return async () => {
    await (stopped ??= container.stop({ timeout: 0 }))
  }
}
