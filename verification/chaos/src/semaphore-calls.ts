import type { PermitLease, Semaphore } from '@holdfast/core'
import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs } from '@holdfast/testkit/process'
import { optionsOf } from './call-options.js'
import type { Holder } from './holder.js'
import type { RecordedCall } from './recorded-call.js'
import type { PlannedCall, PlannedResize } from './schedule.js'

/** Calls on semaphores. */
export class SemaphoreCalls {
  readonly #holder: Holder

  constructor(holder: Holder) {
    this.#holder = holder
  }

  /** Calls the semaphore synchronously, before anything else runs: the calls of a client are found by their order. */
  async make(semaphore: Semaphore, call: RecordedCall, plan: PlannedCall): Promise<void> {
    const { permits = 1, style } = plan
    const { options: given, signal, waitMs } = optionsOf(plan)
    const options = { ...given, permits }
    call.requested(waitMs, plan, permits)
    try {
      if (style === 'withLock') {
        await semaphore.withPermits(options, (lease) => this.#runInside(lease, call, plan))
        call.released()
        return
      }
      const acquiring = style === 'tryLock' ? semaphore.tryAcquire(options) : semaphore.acquire(options)
      const lease = await acquiring
      if (!lease) {
        call.refused('timeout', '')
        return
      }
      await this.#runInside(lease, call, plan)
      await lease.release()
      call.released()
    } catch (error) {
      call.failed(error, signal)
    }
  }

  async resize(
    semaphore: Semaphore,
    call: RecordedCall,
    plan: PlannedResize,
    startAtMs: number,
  ): Promise<void> {
    await sleep(Math.max(0, startAtMs + plan.atMs - nowMs()))
    const { size, keepMs } = plan
    call.resizing(size, keepMs)
    try {
      await semaphore.resize(size, { keepMs })
      call.resized()
    } catch (error) {
      call.failed(error, undefined)
    }
  }

  /** Gives some of its permits back halfway, and works on with the rest. */
  async #runInside(lease: PermitLease, call: RecordedCall, plan: PlannedCall): Promise<void> {
    const { owner, permits } = lease
    const { givesBack = 0, workMs } = plan
    const leave = this.#holder.enter(call, lease, { token: this.#holder.tokenOf(owner), count: 1, permits })
    if (givesBack > 0 && givesBack < permits) {
      await this.#holder.work(lease, workMs / 2)
      if (lease.isHeld) {
        call.lowered(lease, permits - givesBack)
        // The signal reports a loss, and the release at the end repeats what failed.
        await lease.release(givesBack).catch(() => undefined)
      }
      await this.#holder.work(lease, workMs / 2)
    } else {
      await this.#holder.work(lease, workMs)
    }
    leave()
  }
}
