/** What the API allows, and what is asked of it. */
export const figures = {
  /** Calls that the API allows at a time. */
  allowed: 10,
  callMs: 15,
  processes: 4,
  callsPerProcess: 50,
  /** Calls that one process makes at the same time. */
  callsAtOnce: 8,
} as const

/** `unlimited`: each process calls when it likes. `semaphore`: with a permit that all of them share. */
export const variants = ['unlimited', 'semaphore'] as const
export type Variant = (typeof variants)[number]
