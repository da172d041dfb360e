import { msUntil, type LockState } from '@holdfast/documents/steps'
import { refreshed } from '../step.js'
import type { Kind } from './kind.js'
import { realMachine, type Machine } from './machine.js'
import { readWaiting, restoreWaiting } from './waiting.js'

/** A lock in memory. */
export const lockKind = ({
  lockSteps: steps,
  freeLock,
  settleLock,
}: Machine = realMachine): Kind<LockState> => ({
  ways: [{ leftover: 'unsettled', promise: 'expiry' }],
  make: freeLock,
  settle: settleLock,
  step(state, step, context) {
    const { nowUs } = context
    switch (step.kind) {
      case 'acquire':
        return steps.acquire(state, { ...step, wantsToken: true }, context)
      case 'release':
        return steps.release(state, step, context)
      case 'force':
        return steps.force(state, step.owner, context)
      case 'renew':
        return { kind: steps.renew(state, step.owner, step.leaseMs, nowUs) }
      case 'refresh':
        return refreshed(steps.refresh(state, step.owner, step.entryTtlMs, nowUs))
      case 'inspect':
        return steps.inspect(state, step.limit, nowUs)
      case 'resize':
        throw new Error('a lock has no size')
    }
  },
  evict(state) {
    state.hold = null
  },
  read(state, nowUs) {
    const { hold } = state
    return {
      holds: hold
        ? [{ owner: hold.owner, count: hold.count, token: null, leftMs: msUntil(hold.untilUs, nowUs) }]
        : [],
      ended: [],
      resized: null,
      ...readWaiting(state, nowUs, () => ({ want: 1, size: 1 })),
    }
  },
  restore(contents, nowUs, unsettled) {
    const state = freeLock()
    const [hold] = contents.holds
    const [ended] = unsettled.owners
    if (hold) {
      state.hold = { owner: hold.owner, count: hold.count, untilUs: nowUs + hold.leftMs * 1_000 }
    } else if (ended !== undefined) {
      state.hold = { owner: ended, count: 1, untilUs: unsettled.overUs }
    }
    restoreWaiting(state, contents, nowUs, unsettled, (_, waiting) => waiting)
    return state
  },
})
