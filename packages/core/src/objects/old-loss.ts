import { HoldfastError } from '../errors/errors.js'
import { onAbort } from '../util/abort.js'
import { shown } from '../util/kind-of.js'
import type { Lease } from './lease.js'
import type { Lock } from './lock.js'

/**
 * Has the lease of the new lock be lost together with the old lock. Returns what stops that.
 *
 * @throws `LockLostError` if the old lock is lost already
 */
export function loseTogether(lock: Lock, lease: Lease, lost: AbortSignal | undefined): () => void {
  if (!lost) return () => undefined
  const { owner } = lease
  const lose = (): void => {
    const { name: lockName } = lock
    const [cause, text] = reasonOf(lost)
    const message = `the old lock of the bridge reported its loss: ${text}`
    lock.loseWith(owner, new HoldfastError(message, { lockName, owner, cause }))
  }
  if (lost.aborted) {
    lose()
    lease.assertHeld()
  }
  return onAbort(lost, lose)
}

/** redlock aborts without a reason, and puts the error on the signal. */
function reasonOf(lost: AbortSignal): [reason: unknown, text: string] {
  const reason: unknown = 'error' in lost ? lost.error : lost.reason
  return [reason, reason instanceof Error ? reason.message : shown(reason)]
}
