import { once } from 'node:events'
import { isatty } from 'node:tty'
import type { Holdfast, Lease, Lock } from '@holdfast/core'
import { codeOfSignal, exitCodeOf, exitCodes, messageOf } from '../exit-codes.js'
import { escapeText } from '../output/escape.js'
import { say } from '../output/terminal.js'
import { send } from './command-processes.js'
import { startCommand, type Command, type Ending } from './command.js'
import { environmentOf } from './environment.js'
import { Guard } from './guard.js'
import { startGuard, type GuardClient } from './guard-client.js'
import { LeaseWatch } from './lease-watch.js'
import { Signals } from './signals.js'
import { waitForLock } from './wait-for-lock.js'
import { withinMs } from './within-ms.js'

/** What `holdfast run` is to do. */
export interface RunOrder {
  readonly lock: Lock
  readonly command: readonly string[]
  readonly waitMs: number
  readonly leaseMs: number
  /** For how long the lock is held at least. */
  readonly atLeastMs: number | undefined
  readonly notAcquiredCode: number
  /** Whether the command gets to know where the locks are, with passwords, as this process does. */
  readonly hasStoreEnv: boolean
  /** Says nothing while it waits. */
  readonly isQuiet: boolean
}

/** What to exit with. */
export interface RunOutcome {
  readonly code: number
  /** Ctrl-C at a terminal ended the command or the wait: a shell ends its script only if we end by the same signal. */
  readonly isInterrupted: boolean
}

/** How long a release may take before the lease is left to expire. */
const releaseMs = 5_000
/** How long the guard may take to end what a command has left behind: its grace period, and a reserve for a busy machine. */
const leftoversMs = 10_000

/**
 * Runs a command while holding a lock, and ends it before the lock can be lost.
 *
 * | State     | What is true                                          | What leaves it                                                        |
 * | --------- | ----------------------------------------------------- | --------------------------------------------------------------------- |
 * | waiting   | no command; the lock is requested, the guard starts   | both succeed: running; timeout, signal, refusal: exit                 |
 * | running   | the lock is held; the guard has the plan to stop      | the command ends: releasing; a loss, the guard's SIGTERM: stopping    |
 * | stopping  | the lock is lost or may be soon; SIGTERM was sent     | it and all that it started end, by SIGKILL at the latest: releasing   |
 * | releasing | the command has ended                                 | released, or too late for that: exit                                  |
 *
 * Signals end `waiting` and cut `releasing` short; in between they are the command's.
 */
export class Runner {
  readonly #holdfast: Pick<Holdfast, 'on' | 'off'>
  readonly #order: RunOrder

  constructor(holdfast: Pick<Holdfast, 'on' | 'off'>, order: RunOrder) {
    this.#holdfast = holdfast
    this.#order = order
  }

  async run(): Promise<RunOutcome> {
    using signals = new Signals()
    const hasTerminal = [0, 1, 2].some((fd) => isatty(fd))
    const code = await this.#run(signals, hasTerminal)
    return { code, isInterrupted: hasTerminal && code === codeOfSignal('SIGINT') }
  }

  async #run(signals: Signals, hasTerminal: boolean): Promise<number> {
    // Both take a while, so they do it at the same time.
    const starting = startGuard(signals.aborted)
    starting.catch(() => undefined)
    try {
      const lease = await waitForLock(this.#holdfast, this.#order, signals.aborted)
      if (lease) return await this.#withLease(lease, starting, signals, hasTerminal)
      await endGuard(starting)
      return signals.first ? codeOfSignal(signals.first) : this.#order.notAcquiredCode
    } catch (error) {
      await endGuard(starting)
      throw error
    }
  }

  async #withLease(
    lease: Lease,
    starting: Promise<GuardClient>,
    signals: Signals,
    hasTerminal: boolean,
  ): Promise<number> {
    let guard: GuardClient
    try {
      guard = await starting
      // It may have ended while we waited for the lock.
      guard.assertRunning()
      signals.aborted.throwIfAborted()
    } catch (error) {
      await this.#giveUp(lease, signals)
      if (signals.first) return codeOfSignal(signals.first)
      throw error
    }
    return this.#runUnder(lease, guard, signals, hasTerminal)
  }

  /** There is no command to run. */
  async #giveUp(lease: Lease, signals: Signals): Promise<void> {
    await releaseWithin(releaseMs, lease, signals.next()).catch(() => undefined)
  }

  async #runUnder(lease: Lease, guard: GuardClient, signals: Signals, hasTerminal: boolean): Promise<number> {
    using watch = new LeaseWatch(this.#holdfast, lease, guard, this.#order.leaseMs)
    let command: Command
    try {
      command = await this.#start(lease, guard, hasTerminal)
    } catch (error) {
      await this.#giveUp(lease, signals)
      throw error
    }
    const { pid, isGroup } = command
    // Without its guard this process ends the command, as the guard would have.
    const over = new AbortController()
    const standInOver = once(over.signal, 'abort')
    const standIn = new Guard(
      (report) => watch.report(report),
      () => over.abort(),
    )
    guard.onGone(() => {
      watch.stop('the guard of the command ended')
      standIn.take(watch.until)
      standIn.take({ type: 'watch', command: { pid, isGroup } })
      standIn.endNow()
    })
    signals.forward((signal) => signalCommand(command, signal), !command.isGroup)
    const code = codeOf(await command.ended)
    guard.send({ type: 'done' })
    standIn.take({ type: 'done' })
    // A shell that heeds SIGTERM may leave behind a program that does not.
    if (watch.isStopped) await withinMs(leftoversMs, Promise.all([guard.ended, standInOver]))
    return await this.#release(lease, code, watch, signals.next())
  }

  async #start(lease: Lease, guard: GuardClient, hasTerminal: boolean): Promise<Command> {
    lease.assertHeld()
    guard.send({ type: 'starting', owner: lease.owner })
    const env = environmentOf(lease, { store: !this.#order.hasStoreEnv })
    const command = await startCommand(this.#order.command, env, !hasTerminal)
    const { pid, isGroup } = command
    guard.send({ type: 'watch', command: { pid, isGroup } })
    return command
  }

  async #release(lease: Lease, code: number, watch: LeaseWatch, cut: AbortSignal): Promise<number> {
    try {
      const outcome = await releaseWithin(releaseMs, lease, cut)
      if (outcome !== 'done') {
        say(
          `the release of lock ${escapeText(lease.name)} was not acknowledged; it will be free when its lease ends`,
        )
      }
    } catch (error) {
      if (!watch.isStopped) say(messageOf(error))
      // A failure of the command itself is worth more to know.
      if (code === 0) return exitCodeOf(error)
    }
    return watch.isStopped ? exitCodes.lost : code
  }
}

/** Releases the lock, unless that takes too long or is cut short. */
async function releaseWithin(
  ms: number,
  lease: Lease,
  cut: AbortSignal,
): Promise<'done' | 'timed out' | 'cut'> {
  const isCut = new Promise<'cut'>((resolve) => cut.addEventListener('abort', () => resolve('cut')))
  return Promise.race([withinMs(ms, lease.unlock()), isCut])
}

async function endGuard(starting: Promise<GuardClient>): Promise<void> {
  const guard = await starting.catch(() => null)
  guard?.send({ type: 'done' })
}

const signalCommand = ({ pid, isGroup }: Command, signal: NodeJS.Signals): void =>
  void send(isGroup ? -pid : pid, signal)

const codeOf = ({ code, signal }: Ending): number =>
  signal ? codeOfSignal(signal) : (code ?? exitCodes.ownFailure)
