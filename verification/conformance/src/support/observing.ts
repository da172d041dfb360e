import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Holdfast, HoldfastEvents } from '@holdfast/core'
import { hungMs, until } from './until.js'

/** A critical section that counts how many callers were in it at once. */
export class Witness {
  /** The most that were inside at the same time. */
  most = 0
  entries = 0
  #inside = 0

  /** Stays inside for a few turns of the event loop, or for as long as `work` takes. */
  readonly visit = async (work: () => Promise<unknown> = someTurns): Promise<void> => {
    this.#inside += 1
    this.entries += 1
    this.most = Math.max(this.most, this.#inside)
    await work()
    this.#inside -= 1
  }
}

/** Lets other tasks run. */
export async function someTurns(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await nextTurn()
}

/** What the promise rejects with. Rejects if it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  let result: unknown
  try {
    result = await promise
  } catch (error) {
    return error
  }
  throw new Error(`expected a rejection, got ${String(result)}`)
}

/** Resolves when the signal has aborted, with the monotonic instant of it. */
export function whenAborted(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const note = (): void => resolve(performance.now())
    if (signal.aborted) note()
    else signal.addEventListener('abort', note)
  })
}

/** Resolves with the client's next event of that kind. */
export function nextEvent<E extends keyof HoldfastEvents>(
  holdfast: Holdfast,
  event: E,
): Promise<HoldfastEvents[E][0]> {
  return new Promise((resolve) => holdfast.once(event, (...[detail]: HoldfastEvents[E]) => resolve(detail)))
}

/** Resolves after that many renewals by the client's watchdog. */
export function renewals(holdfast: Holdfast, count: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0
    holdfast.on('renewed', () => {
      seen += 1
      if (seen === count) resolve()
    })
  })
}

/** Resolves when that many acquisitions of the client wait. */
export async function untilWaiters(holdfast: Holdfast, count: number): Promise<void> {
  await until(() => holdfast.stats().waiters === count, {
    what: () => `${count} waiters, there are ${holdfast.stats().waiters}`,
    timeoutMs: hungMs,
  })
}

/** Keeps the event loop from running anything, and leaves the processor to others. */
export function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
