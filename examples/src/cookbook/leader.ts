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
      // Waits for as long as it takes, through outages of Redis too.
      await lock.withLock({ signal: stop }, (lease) => work(AbortSignal.any([stop, lease.signal])))
    } catch (error) {
      if (error === stop.reason || error instanceof ClosedError) return
      // The hold was lost, or the work failed. Another instance leads now; this one joins the queue again.
      onError(error)
      await sleep(1_000, undefined, { signal: stop }).catch(() => undefined)
    }
  }
}
