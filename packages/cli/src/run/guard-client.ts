import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ExitError, exitCodes } from '../exit-codes.js'
import type { Order, Report } from './guard-protocol.js'

/** The runner's end of the guard. */
export interface GuardClient {
  /** Written at once, so that the system has it even if this process is killed next. */
  send(order: Order): void
  /** What the guard has sent to the command. */
  onReport(listener: (report: Report) => void): void
  /** @throws `ExitError` when it has ended already */
  assertRunning(): void
  /** Resolves when the guard has ended, after its last report. */
  readonly ended: Promise<void>
  /** The guard has ended before `done`. */
  onGone(listener: () => void): void
}

const program = fileURLToPath(new URL('./guard-main.cjs', import.meta.url))

/**
 * Starts a guard; resolves when it listens. It ends after `done`, once nothing is left that it was ending, and with the command
 * when this process dies.
 *
 * @param signal - ends it at once, whether it listens or not
 */
export async function startGuard(signal: AbortSignal): Promise<GuardClient> {
  const child = spawn(process.execPath, [program], {
    // A session of its own: what reaches the terminal's processes does not reach the guard.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: withoutNodeOptions(process.env),
    signal,
    killSignal: 'SIGKILL',
  })
  const { stdin, stdout } = child
  let failure: ExitError | undefined
  const failed = new Promise<never>((_, reject) => {
    const fail = (why: string): void => {
      failure = new ExitError(`the guard of the command failed: ${why}`, exitCodes.ownFailure)
      reject(failure)
    }
    child.once('error', ({ message }) => fail(message))
    child.once('exit', (code, signal) => fail(`it ended with ${String(signal ?? code)}`))
  })
  failed.catch(() => undefined)
  stdin.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface({ input: stdout })
  await Promise.race([once(lines, 'line'), failed])
  let isDone = false
  return {
    ended,
    send(order) {
      if (isDone) return
      isDone = order.type === 'done'
      stdin.write(`${JSON.stringify(order)}\n`)
      if (!isDone) return
      stdin.end()
      child.unref()
    },
    assertRunning() {
      if (failure) throw failure
    },
    onReport: (listener) =>
      void lines.on('line', (line) => {
        if (line === 'term' || line === 'kill' || line === 'denied') listener(line)
      }),
    onGone: (listener) => void failed.catch(() => (isDone ? undefined : listener())),
  }
}

/** `NODE_OPTIONS` and the like are meant for the user's programs. */
const withoutNodeOptions = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('NODE_')))
