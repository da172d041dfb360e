import { processesOf, send, type CommandProcesses } from './command-processes.js'
import type { Order, Report } from './guard-protocol.js'
import { processesWith } from './process-table.js'
import { earlier, machineMs, type StopPlan } from './stop-plan.js'

const never = { termAt: Infinity, killAt: Infinity }
/** How often to see whether a command has ended that this process did not start. */
const lookEveryMs = 20
/** How long a process that the runner has just started may take to show its environment. */
const searchMs = 500
/** Timers take no longer delays. */
const longestTimerMs = 2 ** 31 - 1

/**
 * Ends a command in time, whatever happens to the runner: a lost link, a stalled event loop, SIGSTOP, kill -9.
 *
 * | State     | What is true                                        | What leaves it                                          |
 * | --------- | --------------------------------------------------- | ------------------------------------------------------- |
 * | idle      | no command yet                                      | `starting`; the runner is gone: over                    |
 * | starting  | a command may run whose process is not known yet;   | `watch`: watching; the runner is gone: searching        |
 * |           | past `killAt` it is killed if its owner shows it    |                                                         |
 * | watching  | the command runs, its lease is renewed              | `termAt` passes, or the runner is gone: ending          |
 * | ending    | SIGTERM was sent                                    | `killAt` passes: killed; nothing of it is left, and the |
 * |           |                                                     | runner is gone or has sent `done`: over                 |
 * | killed    | SIGKILL was sent, if anything was left to kill      | the runner is gone: over                                |
 * | searching | the runner is gone, its command is found by owner   | some time later, with what was found killed: over       |
 * | over      | nothing is left to do                               |                                                         |
 *
 * `done` leads from every other state to `over`: the command has ended, though what it started may not have. A later plan moves
 * both instants, but once SIGTERM was sent it only shortens the time that is left: a command that ignores SIGTERM would otherwise
 * live for as long as the lease is renewed.
 */
export class Guard {
  readonly #report: (what: Report) => void
  readonly #exit: () => void
  #state: 'idle' | 'starting' | 'watching' | 'ending' | 'killed' | 'searching' | 'over' = 'idle'
  #owner = ''
  #processes: CommandProcesses | undefined
  #plan: StopPlan = never
  #graceMs = 0
  /** From now on only this process can see when nothing of the command is left. */
  #isAlone = false
  #timer: NodeJS.Timeout | undefined

  constructor(report: (what: Report) => void, exit: () => void) {
    this.#report = report
    this.#exit = exit
  }

  take(order: Order): void {
    switch (order.type) {
      case 'starting':
        this.#owner = order.owner
        this.#state = 'starting'
        break
      case 'watch':
        this.#processes = processesOf(order.command)
        this.#state = 'watching'
        break
      case 'until':
        this.#plan = this.#state === 'ending' ? earlier(order.plan, this.#plan) : order.plan
        this.#graceMs = order.graceMs
        break
      case 'done':
        if (this.#state === 'ending') this.#isAlone = true
        else this.#end()
    }
    this.#check()
  }

  /** The runner has ended without `done`. */
  runnerGone(): void {
    this.#isAlone = true
    if (this.#state === 'idle') this.#end()
    if (this.#state === 'starting') {
      this.#state = 'searching'
      this.#search(machineMs() + searchMs)
    }
    this.endNow()
  }

  /** The command gets its grace, but no more time than the plan has left. */
  endNow(): void {
    const now = machineMs()
    this.#plan = earlier(this.#plan, { termAt: now, killAt: now + this.#graceMs })
    this.#check()
  }

  #check(): void {
    clearTimeout(this.#timer)
    const now = machineMs()
    const { termAt, killAt } = this.#plan
    // The runner is frozen.
    if (this.#state === 'starting' && now >= killAt) this.#killByOwner()
    else if (this.#state === 'starting') this.#checkIn(killAt - now)
    if (!this.#processes || this.#state === 'over') return
    if (this.#state === 'watching' && now >= termAt) {
      this.#state = 'ending'
      // First, so that the runner knows why the command ends when it does.
      this.#report('term')
      this.#processes.signal('SIGTERM')
    }
    if (this.#state === 'ending' && now >= killAt) {
      this.#state = 'killed'
      const sent = this.#processes.signal('SIGKILL')
      if (sent !== 'gone') this.#report(sent === 'denied' ? 'denied' : 'kill')
    }
    if (this.#isAlone && (this.#state === 'killed' || !this.#processes.areAlive())) this.#end()
    else if (this.#state !== 'killed') this.#checkIn((this.#state === 'ending' ? killAt : termAt) - now)
  }

  #checkIn(ms: number): void {
    const delayMs = Math.min(ms, this.#isAlone ? lookEveryMs : longestTimerMs)
    this.#timer = setTimeout(() => this.#check(), delayMs)
  }

  #search(until: number): void {
    this.#killByOwner()
    if (machineMs() >= until) this.#end()
    else setTimeout(() => this.#search(until), lookEveryMs)
  }

  #killByOwner(): void {
    for (const pid of processesWith('HOLDFAST_OWNER', this.#owner)) send(pid, 'SIGKILL')
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#state = 'over'
    this.#exit()
  }
}
