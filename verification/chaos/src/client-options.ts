import type { HoldfastOptions } from '@holdfast/core'

/** What all clients of a schedule have in common. */
export type ClientOptions = Omit<HoldfastOptions, 'redis' | 'signal'>

/** Short, so that a schedule sees several of each in a second. */
export const clientOptions = { watchdogTimeoutMs: 600, commandTimeoutMs: 300 } as const
