import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** What has not happened by then never will, also on a machine that does other work. */
export const hungMs = 60_000

interface UntilOptions {
  /** @defaultValue 5_000 */
  readonly timeoutMs?: number
  /** What is awaited, for the failure message. */
  readonly what?: string | (() => string)
}

/**
 * Polls until the predicate returns something, and resolves with it. One that throws counts as "not yet"; the last error becomes
 * the cause of the failure.
 */
export async function until<T>(
  predicate: () => T | Promise<T>,
  { timeoutMs = 5_000, what = 'a condition' }: UntilOptions = {},
): Promise<NonNullable<T>> {
  const giveUpAt = performance.now() + timeoutMs
  let cause: unknown
  for (;;) {
    const isLast = performance.now() >= giveUpAt
    try {
      const value = await predicate()
      cause = undefined
      if (value) return value
    } catch (error) {
      cause = error
    }
    if (isLast)
      throw new Error(`waited ${timeoutMs} ms for ${typeof what === 'string' ? what : what()}`, { cause })
    await pause()
  }
}

/** Between two looks at something that changes. */
export const pause = (): Promise<void> => sleep(10)

/** A name that no other test, process or run uses, so that tests may share one store. */
export const uniqueName = (prefix: string): string => `${prefix}-${randomBytes(6).toString('hex')}`
