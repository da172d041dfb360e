import type { FaultKind } from './fault-kind.js'
import { seatOf } from './scene.js'

/** SIGSTOP, and SIGCONT later. */
const freezeProcess: FaultKind = {
  disturbs: 'target',
  async inject(scene, planned) {
    const { worker } = seatOf(scene, planned)
    if (worker.isRunning) await worker.freeze()
    return () => {
      if (worker.isRunning) worker.thaw()
    }
  },
}

/** SIGKILL. The process plays no further part in its schedule. */
const killProcess: FaultKind = {
  disturbs: 'target',
  async inject(scene, planned) {
    const seat = seatOf(scene, planned)
    if (!seat.worker.isRunning) return 'missed'
    await scene.kill(seat)
    return 'over'
  },
}

export const processFaults = { freezeProcess, killProcess } satisfies Record<string, FaultKind>
