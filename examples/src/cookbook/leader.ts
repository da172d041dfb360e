import { ClosedError, type Holdfast } from '@holdfast/core'
import { setTimeout as sleep } from 'node:timers/promises'

/** Does the work while this process leads, again and again until `stop` aborts. */
export async function lead(
  holdfast: Holdfast,
  name: string,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  const lock = holdfast.getLock(`leader:${name}`)
  while (!stop.aborted) {
    try {
      // Waits for as long as it takes, through outages of Redis too: `Infinity` says that such a wait is meant, so no alert fires.
      await lock.withLock({ waitMs: Infinity, signal: stop }, (lease) =>
        work(AbortSignal.any([stop, lease.signal])),
      )
    } catch (error) {
      if (error instanceof ClosedError || isAbort(error, stop)) return
      // The hold was lost, or the work failed. Another instance leads now; this one joins the queue again.
      onError(error)
    }
    // Work that returns or fails at once must not be repeated as fast as it can.
    await sleep(1_000, undefined, { signal: stop }).catch(() => undefined)
  }
}

/** Timers and others reject with an error of their own when their signal aborts. */
const isAbort = (error: unknown, { aborted, reason }: AbortSignal): boolean =>
  aborted && (error === reason || Reflect.get(Object(error), 'name') === 'AbortError')
