import { spawn, type ChildProcess } from 'node:child_process'
import { ExitError, exitCodes } from '../exit-codes.js'

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The command that runs under the lock. */
export interface Command {
  readonly pid: number
  /** Whether it leads a process group. At a terminal it shares the runner's, so that job control and Ctrl-C work. */
  readonly isGroup: boolean
  readonly ended: Promise<Ending>
}

/**
 * Starts a program without a shell: it inherits stdin, stdout and stderr, and gets a pipe as fd 3 that closes when this process
 * dies.
 *
 * @throws `ExitError` with the codes of timeout(1) for a program that does not exist or cannot be executed
 */
export async function startCommand(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  isGroup: boolean,
): Promise<Command> {
  const child = spawned(program, args, env, isGroup)
  const { pid } = child
  if (pid === undefined) {
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve))
    throw error.code === 'ENOENT' ? notFound(program, args) : cannotRun(program, error)
  }
  const ended = new Promise<Ending>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  child.on('error', () => undefined)
  const pipe = child.stdio[3]
  pipe?.on('error', () => undefined)
  // What a command writes to fd 3 is of no interest, but must not fill the pipe.
  if (pipe && 'resume' in pipe) pipe.resume()
  return { pid, isGroup, ended }
}

/** Most failures are reported later; some, such as too long a line (`E2BIG`), are thrown at once. */
function spawned(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  isGroup: boolean,
): ChildProcess {
  try {
    return spawn(program, args, { stdio: ['inherit', 'inherit', 'inherit', 'pipe'], env, detached: isGroup })
  } catch (error) {
    throw error instanceof Error ? cannotRun(program, error) : error
  }
}

const cannotRun = (program: string, { code, message }: NodeJS.ErrnoException): ExitError =>
  new ExitError(`${program || 'an empty name'}: cannot be executed (${code ?? message})`, exitCodes.cannotRun)

/** What only a shell understands: a line of several words, an operator, a variable that is set for one command. */
const forShell = /[\s;&|<>$`*=]/

function notFound(program: string, args: readonly string[]): ExitError {
  const line = [program, ...args].join(' ').replaceAll("'", `'\\''`)
  const hint = `it runs without a shell; for one, write: -- sh -c '${line}'`
  return new ExitError(`${program}: not found`, exitCodes.notFound, forShell.test(program) ? [hint] : [])
}
