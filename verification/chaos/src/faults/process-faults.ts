import type { FaultKind } from './fault-kind.js'
import { targetProcess } from './fault-context.js'

/** SIGSTOP, and SIGCONT later. */
const freezeProcess: FaultKind = {
  disturbs: 'target',
  async inject(context, plan) {
    const { worker } = targetProcess(context, plan)
    if (worker.isRunning) await worker.freeze()
    return () => {
      if (worker.isRunning) worker.thaw()
    }
  },
}

/** SIGKILL. The process takes no further part in its schedule. */
const killProcess: FaultKind = {
  disturbs: 'target',
  async inject(context, plan) {
    const clientProcess = targetProcess(context, plan)
    if (!clientProcess.worker.isRunning) return 'missed'
    await context.kill(clientProcess)
    return 'over'
  },
}

export const processFaults = { freezeProcess, killProcess } satisfies Record<string, FaultKind>
