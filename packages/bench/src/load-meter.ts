import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** The sampling timer's interval. What it reads without any delay is this interval, so it is taken off. */
const resolutionMs = 10

/** What this process did over some time: its share of one core, and how late its event loop was. */
export interface ProcessLoad {
  readonly clientCpuShare: number
  readonly loopDelayP99Ms: number
}

/** Looks on for `ms` without doing anything itself. */
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
