import type { Holdfast } from '@holdfast/core'
import { openClient } from '../adapters/holdfast.js'
import { forEachConcurrently } from '../for-each-concurrently.js'

/** How many clients have a command in flight at once, as on a busy Redis: one read for each. */
export const clientsAtOnce = 50

export const open = (url: string, watchdogTimeoutMs = 30_000): Holdfast =>
  openClient({ redis: url, watchdogTimeoutMs })

export const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** Runs `step` for the numbers below `count`, in `clientsAtOnce` concurrent lanes. */
export const inLanes = (count: number, step: (n: number, lane: number) => Promise<unknown>): Promise<void> =>
  forEachConcurrently(numbersTo(count), step, clientsAtOnce)
