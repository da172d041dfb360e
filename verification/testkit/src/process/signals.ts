import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { ChildProcess } from 'node:child_process'
import { until } from '../until.js'

const run = promisify(execFile)

export function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

/** Stops the process (SIGSTOP). Resolves once the system reports it as stopped, or it has ended in the meantime. */
export async function freezeProcess(child: ChildProcess): Promise<void> {
  await freezePid(runningPid(child, 'freeze'))
}

/** The same for a process that need not be a child of ours. */
export async function freezePid(pid: number): Promise<void> {
  sendSignal(pid, 'SIGSTOP')
  // The signal is only queued so far: on another CPU the process may still handle a request.
  const isStopped = async (): Promise<boolean> => {
    if (!(await processExists(pid))) return true
    if ((await stateOf(pid)).startsWith('T')) return true
    // Whoever had frozen it before may have resumed it since.
    sendSignal(pid, 'SIGSTOP')
    return false
  }
  await until(isStopped, { what: `process ${String(pid)} to stop` })
}

/** Does nothing to a process that has ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // it has ended
  }
}

/** Resumes a frozen process (SIGCONT). Does nothing to a running one. */
export function thawProcess(child: ChildProcess): void {
  runningPid(child, 'thaw')
  child.kill('SIGCONT')
}

/** Kills the process, even a frozen one; resolves when it has ended. Does nothing to one that has ended. */
export async function killProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (!isRunning(child)) return
  // An unreferenced child would not keep our process alive until its end is reported.
  child.ref()
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

function runningPid(child: ChildProcess, action: string): number {
  if (child.pid === undefined || !isRunning(child)) {
    throw new Error(`cannot ${action} process ${String(child.pid)}: it has ended`)
  }
  return child.pid
}

/** Whether a process with that id is running or frozen. A zombie, not yet reaped by its parent, does not count. */
export async function processExists(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
    // A signal still reaches a zombie, and in containers zombies may never be reaped.
    return !(await stateOf(pid)).startsWith('Z')
  } catch {
    return false
  }
}

/** The letter that ps shows: R, S, T, Z … */
async function stateOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8')
    // The name in parentheses may itself contain parentheses and spaces.
    return stat.slice(stat.lastIndexOf(')') + 2)
  }
  const { stdout } = await run('ps', ['-o', 'state=', '-p', String(pid)])
  return stdout.trim()
}
