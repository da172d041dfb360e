import type { AcquireOptions } from '@holdfast/core'
import type { PlannedCall } from './schedule.js'

/** What a planned call passes to the library. */
export interface CallOptions {
  readonly options: AcquireOptions
  readonly signal: AbortSignal | undefined
  /** Its wait limit; `null`: none. */
  readonly waitMs: number | null
}

export function optionsOf({ style, waitMs, leaseMs, abortAfterMs, atLeastMs }: PlannedCall): CallOptions {
  const signal = abortAfterMs === null ? undefined : AbortSignal.timeout(abortAfterMs)
  return {
    options: {
      leaseMs: leaseMs ?? undefined,
      waitMs: waitMs ?? undefined,
      ...(atLeastMs === undefined ? {} : { atLeastMs }),
      ...(signal ? { signal } : {}),
    },
    signal,
    waitMs: style === 'tryLock' ? (waitMs ?? 0) : waitMs,
  }
}
