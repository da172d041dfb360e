import type { Holdfast, Lease } from '@holdfast/core'
import { messageOf } from '../exit-codes.js'
import { formatDuration } from '../output/duration.js'
import { escapeText } from '../output/escape.js'
import { say } from '../output/terminal.js'
import type { GuardClient } from './guard-client.js'
import type { Report, UntilOrder } from './guard-protocol.js'
import { graceMsOf, machineMs, planStop, type StopPlan } from './stop-plan.js'

/** How often to compare the clocks: while the machine is suspended, no timer runs. */
const checkEveryMs = 500

/** Tells the guard until when the command may run, and the user why it is stopped. */
export class LeaseWatch implements Disposable {
  readonly #holdfast: Pick<Holdfast, 'on' | 'off'>
  readonly #lease: Lease
  readonly #guard: GuardClient
  readonly #leaseMs: number
  readonly #timer: NodeJS.Timeout
  #until: UntilOrder
  #hasWarned = false
  #isStopped = false

  constructor(holdfast: Pick<Holdfast, 'on' | 'off'>, lease: Lease, guard: GuardClient, leaseMs: number) {
    this.#holdfast = holdfast
    this.#lease = lease
    this.#guard = guard
    this.#leaseMs = leaseMs
    this.#until = this.#send(this.#plan())
    holdfast.on('renewed', this.#onRenewed)
    holdfast.on('error', this.#onError)
    lease.signal.addEventListener('abort', () => this.#onLost())
    guard.onReport((report) => this.report(report))
    // Asking is enough: a hold in doubt is renewed at once.
    this.#timer = setInterval(() => lease.isHeld, checkEveryMs)
  }

  /** Whether the command was stopped because the lock was lost, or was about to be. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** The plan that the guard has. */
  get until(): UntilOrder {
    return this.#until
  }

  /** Notes that the command is being stopped, and says why. */
  stop(why: string): void {
    if (!this.#isStopped) say(`${why}; stopping the command`)
    this.#isStopped = true
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#holdfast.off('renewed', this.#onRenewed)
    this.#holdfast.off('error', this.#onError)
  }

  readonly #onRenewed = ({ owner }: { readonly owner: string }): void => {
    if (owner !== this.#lease.owner) return
    this.#hasWarned = false
    this.#until = this.#send(this.#plan())
  }

  /** An outage is reported again every second. */
  readonly #onError = ({ message }: Error): void => {
    if (this.#hasWarned || this.#isStopped) return
    this.#hasWarned = true
    const leftMs = Math.max(0, this.#lease.remainingMs() - graceMsOf(this.#leaseMs))
    say(`${message}; unless the lock can be renewed, the command is stopped in ${formatDuration(leftMs)}`)
  }

  #plan(): StopPlan {
    return planStop(machineMs() + this.#lease.remainingMs(), this.#leaseMs)
  }

  #send(plan: StopPlan): UntilOrder {
    const order: UntilOrder = { type: 'until', plan, graceMs: graceMsOf(this.#leaseMs) }
    this.#guard.send(order)
    return order
  }

  #onLost(): void {
    this.stop(messageOf(this.#lease.signal.reason))
    const now = machineMs()
    this.#until = this.#send({ termAt: now, killAt: now + graceMsOf(this.#leaseMs) })
  }

  /** Says what was done to the command. */
  report(report: Report): void {
    if (report === 'kill') say('the command did not end in time and was killed')
    if (report === 'denied')
      say(
        'the command did not end in time, and runs as another user, so it cannot be killed; it may outlive its lock',
      )
    if (report !== 'term') return
    const left = formatDuration(this.#lease.remainingMs())
    this.stop(`lock ${escapeText(this.#lease.name)} was not renewed in time: ${left} left`)
  }
}
