/** A fault that lasts until it is healed; `await using` heals it too. */
export interface Fault extends AsyncDisposable {
  /** Resolves when the server is as it was before. A second call does nothing further. */
  heal(): Promise<void>
}

export function faultUntil(heal: () => Promise<void>): Fault {
  let healing: Promise<void> | null = null
  const once = () => (healing ??= heal())
  return { heal: once, [Symbol.asyncDispose]: once }
}
