import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Keeps the main thread of a process on one core: placement alone moves a cycle by more than what is measured here.
 * Resolves with whether the platform can do it (Linux with util-linux).
 */
export async function pin(pid: number, core: number): Promise<boolean> {
  try {
    await run('taskset', ['--cpu-list', '--pid', String(core % cpus().length), String(pid)])
    return true
  } catch {
    return false
  }
}

/** Redis has a core to itself as far as there are several; workers share the others. */
export const redisCore = 0
export const workerCore = (index: number): number => {
  const others = Math.max(1, cpus().length - 1)
  return 1 + (index % others)
}
