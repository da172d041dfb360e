import type { CountDownLatch } from '@holdfast/core'
import { optionsOf } from './call-options.js'
import type { RecordedCall } from './recorded-call.js'
import type { PlannedCall } from './schedule.js'

/** Calls on latches. */
export class LatchCalls {
  async make(latch: CountDownLatch, call: RecordedCall, plan: PlannedCall): Promise<void> {
    const { signal, waitMs, options } = optionsOf(plan)
    const { step = 'wait', parties = 1, as = null } = plan
    try {
      switch (step) {
        case 'set':
          call.began({ kind: 'setting', parties })
          call.done({ kind: 'set', isSet: await latch.trySetCount(parties) })
          return
        case 'countDown': {
          call.began({ kind: 'counting', party: as })
          const left = await latch.countDown(as === null ? {} : { as })
          call.done({ kind: 'counted-down', left })
          return
        }
        case 'delete':
          call.began({ kind: 'deleting' })
          await latch.delete()
          call.done({ kind: 'deleted' })
          return
        case 'wait':
          await this.#wait(latch, call, plan, { waitMs, signal, options })
      }
    } catch (error) {
      call.failed(error, signal)
    }
  }

  async #wait(
    latch: CountDownLatch,
    call: RecordedCall,
    plan: PlannedCall,
    { waitMs, options }: ReturnType<typeof optionsOf>,
  ): Promise<void> {
    call.requested(waitMs, { ...plan, leaseMs: null }, undefined)
    const given = { waitMs: options.waitMs, ...(options.signal ? { signal: options.signal } : {}) }
    if (plan.style !== 'tryLock') await latch.wait(given)
    else if (!(await latch.tryWait(given))) {
      call.refused('timeout', '')
      return
    }
    call.done({ kind: 'passed' })
  }
}
