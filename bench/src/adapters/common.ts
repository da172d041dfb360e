import type { Redis } from 'ioredis'
import type { Holder } from '../contender.js'

/** The lease for libraries that require one: longer than any measurement. */
export const leaseMs = 30_000

/**
 * The polling interval of a library that polls, in its best configuration: the shortest default of all of them
 * (redis-semaphore). The others leave the number to the user; their defaults are 100 ms and more.
 */
export const pollMs = 10

export const disconnecting =
  (...clients: readonly Redis[]) =>
  (): Promise<void> => {
    for (const client of clients) client.disconnect()
    return Promise.resolve()
  }

/** What a library runs while it holds a lock; the library reports a loss through the signal. */
type Body = (signal: AbortSignal) => Promise<void>

/** Holds locks with a library that holds each one for as long as a callback runs. */
export function holdingByCallback(use: (name: string, body: Body) => Promise<unknown>): Holder {
  let lost = 0
  return {
    hold: (name) =>
      new Promise((resolve, reject) => {
        const body = (signal: AbortSignal): Promise<void> => {
          signal.addEventListener('abort', () => (lost += 1), { once: true })
          resolve()
          return new Promise(() => undefined)
        }
        // Once the lock is held this has no effect any more; the signal reports a loss then.
        use(name, body).catch(reject)
      }),
    lost: () => lost,
  }
}
