import { msUntil, type SharedHold, type SharedState } from '@holdfast/documents/steps'
import { byOwner, type HoldContents } from '../contents.js'
import { withEndedHolds } from '../explore/contents-of.js'
import { findsEndedHold, runsAgain } from '../explore/differences.js'
import { refreshed } from '../step.js'
import type { Kind } from './kind.js'
import { realMachine, type Machine } from './machine.js'
import { readWaiting, restoreWaiting } from './waiting.js'

/** A read/write lock or semaphore in memory. It counts no permits and has no keys that could differ from its holds. */
export const sharedKind = ({
  sharedSteps: steps,
  freeShared,
  settleShared,
}: Machine = realMachine): Kind<SharedState> => ({
  ways: [
    { leftover: 'unsettled', from: withEndedHolds, promise: 'expiry', allows: findsEndedHold },
    { isRepeated: true, promise: 'repetition', allows: runsAgain },
  ],
  make: freeShared,
  settle: settleShared,
  step(state, step, context) {
    const { nowUs } = context
    switch (step.kind) {
      case 'acquire':
        return steps.acquire(state, { ...step, wantsToken: true }, context)
      case 'release':
        return steps.release(state, step, context)
      case 'force':
        return steps.force(state, step.owner, context)
      case 'resize':
        return steps.resize(state, step, context)
      case 'renew':
        return { kind: steps.renew(state, step.owner, step.leaseMs, nowUs) }
      case 'refresh':
        return refreshed(steps.refresh(state, step.owner, step.entryTtlMs, nowUs))
      case 'inspect':
        return steps.inspect(state, step.limit, nowUs)
    }
  },
  evict(state) {
    state.holds.clear()
  },
  read(state, nowUs) {
    const { holds, resized } = state
    const all = [...holds].map(([owner, { permits, token, untilUs }]) => {
      return { owner, count: permits, token, leftMs: msUntil(untilUs, nowUs) }
    })
    return {
      holds: byOwner(all.filter(({ leftMs }) => leftMs > 0)),
      ended: byOwner(all.filter(({ leftMs }) => leftMs <= 0)),
      resized: resized && {
        size: resized.size,
        version: resized.version,
        id: resized.id,
        leftMs: msUntil(resized.untilUs, nowUs),
      },
      ...readWaiting(state, nowUs, ({ want, size }) => ({ want, size })),
    }
  },
  restore(contents, nowUs, unsettled) {
    const state = freeShared()
    const { holds, ended, resized } = contents
    const untilUs = (ms: number): number => nowUs + ms * 1_000
    const holdOf = ({ count, token, leftMs }: HoldContents): SharedHold => {
      return { permits: count, token: token ?? 0, untilUs: untilUs(leftMs) }
    }
    for (const hold of [...ended, ...holds]) state.holds.set(hold.owner, holdOf(hold))
    if (resized) {
      const { size, version, id, leftMs } = resized
      state.resized = { size, version, id, untilUs: untilUs(leftMs) }
    } else if (unsettled.owners.length > 0) {
      state.resized = { size: 0, version: 1, id: 'an earlier resize', untilUs: unsettled.overUs }
    }
    restoreWaiting(state, contents, nowUs, unsettled, ({ want, size }, waiting) => ({
      ...waiting,
      want,
      size,
    }))
    return state
  },
})
