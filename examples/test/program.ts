import { until } from '@holdfast/testkit'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** One example in a process group of its own, as a terminal would run it. */
export interface Program {
  readonly ended: Promise<Ending>
  /** Resolves when the output so far matches. */
  prints(pattern: RegExp): Promise<void>
  /** Signals every process of the group, as Ctrl-C does. */
  signal(signal: NodeJS.Signals): void
  /** The processes of the group that have not ended, with their commands. */
  processes(): Promise<{ pid: number; command: string }[]>
  /** Kills the remaining processes. */
  [Symbol.asyncDispose](): Promise<void>
}

export function startProgram(
  name: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Program {
  const child = spawn(process.execPath, [join(__dirname, '../dist', `${name}.js`), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
    stdout,
    stderr,
  }))
  const group = child.pid ?? -1

  const program: Program = {
    ended,
    async prints(pattern) {
      await until(() => pattern.test(stdout) || child.exitCode !== null, {
        what: () => `${name} to print ${String(pattern)}, not:\n${stdout}${stderr}`,
      })
      if (!pattern.test(stdout))
        throw new Error(`${name} ended without ${String(pattern)}:\n${stdout}${stderr}`)
    },
    signal(signal) {
      process.kill(-group, signal)
    },
    async processes() {
      const { stdout: table } = await run('ps', ['-A', '-o', 'pid=,pgid=,stat=,args='])
      return table.split('\n').flatMap((line) => {
        const [pid, pgid, state = 'Z', ...command] = line.trim().split(/\s+/)
        // A zombie, not yet reaped by its parent, has ended.
        if (Number(pgid) !== group || state.startsWith('Z')) return []
        return [{ pid: Number(pid), command: command.join(' ') }]
      })
    },
    async [Symbol.asyncDispose]() {
      for (const { pid } of await program.processes()) process.kill(pid, 'SIGKILL')
      await ended
    },
  }
  return program
}
