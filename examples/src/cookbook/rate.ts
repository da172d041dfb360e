import type { Holdfast } from '@holdfast/core'

/** One call per customer at a time, in the order of arrival. The next one starts when this one has ended. */
export function oneAtATime<T>(holdfast: Holdfast, customer: string, call: () => Promise<T>): Promise<T> {
  return holdfast.getLock(`call:${customer}`).withLock(call)
}

/** Whether this caller may go ahead: at most one in `periodMs`, the others are turned away. */
export async function mayProceed(limits: Holdfast, customer: string, periodMs: number): Promise<boolean> {
  const lease = await limits.getLock(`limit:${customer}`).tryLock({ leaseMs: periodMs })
  // Not unlocked on purpose: the lease ends with the period.
  return lease !== null
}

/** Resolves when it is this caller's turn: one in `periodMs`, the others queue in the order of arrival. */
export async function awaitTurn(
  limits: Holdfast,
  customer: string,
  periodMs: number,
  signal?: AbortSignal,
): Promise<void> {
  await limits.getLock(`turn:${customer}`).lock({ leaseMs: periodMs, signal })
}
