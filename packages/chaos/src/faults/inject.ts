import { nowMs, type HistoryEvent } from '@holdfast/testkit'
import { setTimeout as passed } from 'node:timers/promises'
import type { PlannedFault } from '../schedule.js'
import { faultKind } from './fault-kinds.js'
import { pick } from '../pick.js'
import { seatOf, type Scene } from './scene.js'

/** Breaks and mends as planned, and tells of both, unless nothing was hit. Resolves when everything is mended. */
export async function injectAll(
  scene: Scene,
  faults: readonly PlannedFault[],
  startAtMs: number,
  tell: (event: HistoryEvent) => void,
): Promise<void> {
  let serverIsFree = Promise.resolve()
  const all = faults.map(async (planned, n) => {
    const kind = faultKind(planned.name)
    await passed(Math.max(0, startAtMs + planned.atMs - nowMs()))
    const injected = (kind.hitsServer ? serverIsFree : Promise.resolve()).then(async () => {
      const id = `fault-${n + 1}`
      const disturbs = {
        nobody: [],
        target: [seatOf(scene, planned).name],
        all: 'all',
      } as const
      const atMs = nowMs()
      const heal = await kind.inject(scene, planned)
      if (heal === 'missed') return
      tell({
        kind: 'fault',
        atMs,
        id,
        fault: planned.name,
        disturbs: disturbs[kind.disturbs],
        excuses: kind.excuses ?? [],
        locks: kind.hitsOneLock ? [pick(scene.locks, planned.target)] : 'all',
      })
      if (heal !== 'over') {
        await passed(planned.forMs)
        await heal()
      }
      tell({ kind: 'healed', atMs: nowMs(), id })
    })
    if (kind.hitsServer) serverIsFree = injected.catch(() => undefined)
    await injected
  })
  await Promise.all(all)
}
