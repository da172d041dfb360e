import { nowMs, type Excuse, type HistoryEvent } from '@holdfast/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlannedFault } from '../schedule.js'
import type { FaultKind } from './fault-kind.js'
import { faultKind } from './fault-kinds.js'
import { pickCyclic } from '../pick-cyclic.js'
import { targetProcess, type FaultContext } from './fault-context.js'

/**
 * A fault of one master is that of a minority, which excuses nothing: unless another fault may have cost a holder the votes
 * of further masters. Nor does a restart, since a master that has just started has no vote.
 */
function excusesOf(kind: FaultKind, { object }: FaultContext, isAnother: boolean): readonly Excuse[] {
  const { excuses = [], hitsServer = false } = kind
  if (object !== 'quorum' || !hitsServer) return excuses
  return isAnother && kind !== faultKind('restartEmpty') ? excuses : []
}

/** Injects and heals the faults as planned, and records both unless nothing was hit. Resolves when all are healed. */
export async function injectAll(
  context: FaultContext,
  faults: readonly PlannedFault[],
  startAtMs: number,
  record: (event: HistoryEvent) => void,
): Promise<void> {
  let serverIsFree = Promise.resolve()
  let recorded = 0
  const all = faults.map(async (plan, n) => {
    const kind = faultKind(plan.name)
    await sleep(Math.max(0, startAtMs + plan.atMs - nowMs()))
    const injected = (kind.hitsServer ? serverIsFree : Promise.resolve()).then(async () => {
      const id = `fault-${n + 1}`
      const disturbs = {
        none: [],
        target: [targetProcess(context, plan).name],
        all: 'all',
      } as const
      const atMs = nowMs()
      const hasRecorded = recorded > 0
      const heal = await kind.inject(context, plan)
      if (heal === 'missed') return
      recorded += 1
      record({
        kind: 'fault',
        atMs,
        id,
        fault: plan.name,
        disturbs: disturbs[kind.disturbs],
        excuses: excusesOf(kind, context, hasRecorded),
        locks: kind.hitsOneLock ? [pickCyclic(context.locks, plan.target)] : 'all',
      })
      if (heal !== 'over') {
        await sleep(plan.forMs)
        await heal()
      }
      record({ kind: 'healed', atMs: nowMs(), id })
    })
    if (kind.hitsServer) serverIsFree = injected.catch(() => undefined)
    await injected
  })
  await Promise.all(all)
}
