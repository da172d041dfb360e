import { setTimeout as sleep } from 'node:timers/promises'

/** How a poll is bounded, and how its failure reads. */
export interface UntilOptions {
  /** The timeout, in milliseconds. @defaultValue 90_000 */
  readonly timeoutMs?: number
  /**
   * The polling interval, in milliseconds. @defaultValue 10, and after 0.2 s a twentieth of the time it has taken, at most 50: what takes long
   * is mostly waited for beside other tests.
   */
  readonly everyMs?: number
  /** What is awaited, for the failure message: "waited 5000 ms for <what>". A function is called at the end. */
  readonly what?: string | (() => string)
}

/** `undefined`, `null`, `false`, `0`, `''` mean "not yet". */
export type Truthy<T> = Exclude<T, undefined | null | false | 0 | ''>

function holds<T>(value: T): value is T & Truthy<T> {
  return Boolean(value)
}

/**
 * Polls until the predicate returns a truthy value, and resolves with it.
 *
 * A predicate that throws counts as "not yet"; the last error becomes the cause of the failure. Rejects after the
 * timeout, with one last attempt.
 */
export async function until<T>(
  predicate: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Truthy<T>> {
  const { timeoutMs = 90_000, everyMs, what = 'a condition' } = options
  const startedAt = performance.now()
  const giveUpAt = startedAt + timeoutMs
  let cause: unknown
  for (;;) {
    const lastLook = performance.now() >= giveUpAt
    try {
      const value = await predicate()
      cause = undefined
      if (holds(value)) return value
    } catch (error) {
      cause = error
    }
    if (lastLook) {
      const wanted = typeof what === 'string' ? what : what()
      throw new Error(`waited ${String(timeoutMs)} ms for ${wanted}`, { cause })
    }
    await sleep(everyMs ?? Math.min(Math.max(10, (performance.now() - startedAt) / 20), 50))
  }
}

/** Longer than a busy machine takes for what should happen at once, and shorter than the default lease of 30 s. */
const soonMs = 20_000

/** What a promise comes to. Rejects when that is not known soon: it waits for a lease to end, or for nothing. */
export async function soon<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${String(soonMs)} ms`)), soonMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
