import { LockLostError, type AcquireOptions, type Lease, type Lock } from '@holdfast/core'
import { Effect } from 'effect'

/** Runs an effect while the lock is held. A loss interrupts it, and fails with `LockLostError`. */
export const withLock = <A, E, R>(
  lock: Lock,
  options: AcquireOptions,
  use: (lease: Lease) => Effect.Effect<A, E, R>,
): Effect.Effect<A, unknown, R> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: (signal) => lock.lock({ ...options, signal }),
      catch: (error) => error,
    }),
    (lease) => Effect.raceFirst(use(lease), whenLost(lease)),
    (lease) => Effect.promise(() => lease.unlock().catch(ignoreLoss)),
  )

const whenLost = ({ signal }: Lease): Effect.Effect<never, unknown> =>
  Effect.callback((resume) => {
    const fail = (): void => resume(Effect.fail(signal.reason))
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })

/** The effect has failed with it already. */
const ignoreLoss = (error: unknown): void => {
  if (!(error instanceof LockLostError)) throw error
}
