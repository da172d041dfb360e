import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Pins the main thread of a process to one core: placement alone changes a cycle by more than the differences measured
 * here. Resolves with whether the platform supports it (Linux with util-linux).
 */
export async function pin(pid: number, core: number): Promise<boolean> {
  try {
    await run('taskset', ['--cpu-list', '--pid', String(core % cpus().length), String(pid)])
    return true
  } catch {
    return false
  }
}

/** Redis has its own core if there are several; workers share the others. */
export const redisCore = 0
export const workerCore = (index: number): number => {
  const others = Math.max(1, cpus().length - 1)
  return 1 + (index % others)
}
