import type { Holdfast } from '@holdfast/core'

/** One call per customer at a time, in the order of arrival. The next one starts when this one has ended. */
export function oneAtATime<T>(holdfast: Holdfast, customer: string, call: () => Promise<T>): Promise<T> {
  return holdfast.getLock(`call:${customer}`).withLock(call)
}

/** Whether this caller may go ahead: at most one in `periodMs`, the others are turned away. */
export async function mayProceed(holdfast: Holdfast, customer: string, periodMs: number): Promise<boolean> {
  // Released at once, the lock stays taken until the period is over.
  const { ran } = await holdfast
    .getLock(`limit:${customer}`)
    .tryWithLock({ atLeastMs: periodMs }, () => undefined)
  return ran
}

/** Resolves when it is this caller's turn: one in `periodMs`, the others queue in the order of arrival. */
export async function awaitTurn(
  holdfast: Holdfast,
  customer: string,
  periodMs: number,
  signal?: AbortSignal,
): Promise<void> {
  await holdfast.getLock(`turn:${customer}`).withLock({ atLeastMs: periodMs, signal }, () => undefined)
}
