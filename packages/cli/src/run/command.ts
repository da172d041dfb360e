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
  const child = spawn(program, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env,
    detached: isGroup,
  })
  const { pid } = child
  if (pid === undefined) throw await whyNot(child, program)
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

function whyNot(child: ChildProcess, program: string): Promise<ExitError> {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT'
      const why = isMissing ? 'not found' : `cannot be executed (${error.code ?? error.message})`
      resolve(new ExitError(`${program}: ${why}`, isMissing ? exitCodes.notFound : exitCodes.cannotRun))
    })
  })
}
