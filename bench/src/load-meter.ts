import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** The sampling timer's interval. Without any delay it reads this value, so it is subtracted. */
const resolutionMs = 10

/** The load of this process over some time: its share of one core, and its event-loop delay. */
export interface ProcessLoad {
  readonly clientCpuShare: number
  readonly loopDelayP99Ms: number
}

/** Measures for `ms`, without adding any work. */
export async function loadOver(ms: number): Promise<ProcessLoad> {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  delays.enable()
  await sleep(ms)
  delays.disable()
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    clientCpuShare: (user + system) / 1_000 / (performance.now() - startedAt),
    loopDelayP99Ms: Math.max(0, delays.percentile(99) / 1e6 - resolutionMs),
  }
}
