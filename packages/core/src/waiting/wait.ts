import type { Channels, TracedAcquisition } from '../channels/channels.js'
import { ownerOf } from '../engine/owner.js'
import { HoldfastError } from '../errors/errors.js'
import type { Request } from '../options/options.js'
import { titleOf } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'
import { onAbort } from '../util/abort.js'
import type { InContext } from '../util/background.js'
import { monotonicMs } from '../util/clock.js'
import { readAheadMs } from './waiter-table.js'
import { detailsOf } from './wait-reports.js'
import { closedWhileWaiting } from './wording.js'

/** Which states may follow each. `over` may follow all, and nothing follows it. */
export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>

interface Settlement<R> {
  resolve(result: R): void
  reject(error: unknown): void
}

/** Who waits, for what, and within which limits. */
export interface WaitSubject {
  readonly clientId: string
  /** The number of its owner. */
  readonly n: number
  readonly target: Target
  readonly request: Request
  /** When the caller wanted it, if it had to wait for its turn in this process first. */
  readonly wantedSince: number | undefined
  readonly channels: Channels | undefined
}

/**
 * What every wait is: it settles once, is in one state at a time, and ends by `waitMs`, by the signal of its call or because
 * the client closes.
 */
export abstract class Wait<R, State extends string> {
  readonly n: number
  readonly owner: string
  readonly target: Target
  protected readonly options: Request
  protected readonly startedAt = monotonicMs()
  readonly waitsSince: number
  /** Those who listen to holds make spans in the context of the call. */
  readonly #inContext: InContext | undefined
  readonly #channels: Channels | undefined
  #state: State | 'over'
  #settle: Settlement<R> | undefined
  #stopListening: (() => void) | undefined
  #limit: NodeJS.Timeout | undefined
  /** Ends with the state that it belongs to. */
  #timer: NodeJS.Timeout | undefined

  constructor({ clientId, n, target, request, wantedSince, channels }: WaitSubject, first: State) {
    this.#channels = channels
    this.#inContext = channels?.contextOfCall()
    this.waitsSince = wantedSince ?? this.startedAt
    this.n = n
    this.owner = ownerOf(clientId, n)
    this.target = target
    this.options = request
    this.#state = first
  }

  /** Whether another owner was in the way so far, or a latch closed. */
  abstract get isContended(): boolean

  protected abstract get transitions(): Transitions<State>

  protected abstract get client(): { readonly clientId: string; readonly engine: string }

  /** Adds itself to those under way. */
  protected abstract join(): void

  protected abstract begin(): void

  /** `waitMs` is over. */
  protected abstract onLimit(): void

  /** The wait will soon be over: reads who is in the way, if that is not known well enough. */
  protected abstract readObstacle(): void

  /** Undoes what a wait has in this process, and gives up what it may have in the store. The caller's result waits for nothing of it. */
  protected abstract leave(from: State, hasSucceeded: boolean): void

  /** `run()` for a call of the application, published to those who listen. */
  runTraced(): Promise<R> {
    const channels = this.#channels
    if (!channels?.wantsAcquisitions) return this.run()
    return channels.acquire(
      {
        subject: this.#subject,
        request: this.options,
        wantedSince: this.waitsSince,
        isContended: () => this.isContended,
      },
      () => this.run(),
    )
  }

  run(): Promise<R> {
    const { signal, waitMs } = this.options
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.join()
      if (signal?.aborted) {
        this.fail(signal.reason)
        return
      }
      if (signal) this.#stopListening = onAbort(signal, () => this.fail(signal.reason))
      if (waitMs > 0 && waitMs !== Infinity) this.#limitTo(waitMs)
      this.begin()
    })
  }

  close(): void {
    this.fail(closedWhileWaiting(this.target, detailsOf(this)))
  }

  /** The hold around the caller that it must not re-enter, if there is one. */
  get inside(): Request['inside'] {
    return this.options.inside
  }

  protected get state(): State | 'over' {
    return this.#state
  }

  /** Listeners may end a wait from within. */
  protected get isOver(): boolean {
    return this.#state === 'over'
  }

  protected get waitLeftMs(): number {
    return this.startedAt + this.options.waitMs - monotonicMs()
  }

  /** Since it began, in whole milliseconds. */
  protected get waitedMs(): number {
    return Math.round(monotonicMs() - this.startedAt)
  }

  protected enter(next: State): void {
    const from = this.#state
    clearTimeout(this.#timer)
    if (from !== 'over' && this.transitions[from].includes(next)) {
      this.#state = next
      return
    }
    this.fail(
      new HoldfastError(`${titleOf(this.target)}: a wait went from ${from} to ${next}`, detailsOf(this)),
    )
  }

  /** Takes a step after some time, unless another state is entered before. */
  protected after(ms: number, step: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(step, ms)
  }

  protected limitTo(ms: number): void {
    clearTimeout(this.#limit)
    this.#limit = setTimeout(() => this.onLimit(), ms)
  }

  protected endLimit(): void {
    clearTimeout(this.#limit)
  }

  protected fail(error: unknown): void {
    this.#finish(false)?.reject(error)
  }

  /** Ends in vain. */
  protected end(result: R): void {
    this.#finish(false)?.resolve(result)
  }

  protected succeed(makeResult: () => R): void {
    const inContext = this.#inContext
    this.#finish(true)?.resolve(inContext ? inContext(makeResult) : makeResult())
  }

  get #subject(): TracedAcquisition['subject'] {
    const { target, owner } = this
    const { clientId, engine } = this.client
    return { clientId, engine, name: target.address.name, kind: target.kind, owner }
  }

  /** Shortly before the end of a longer wait it is read who is in the way. */
  #limitTo(waitMs: number): void {
    const inMs = waitMs - readAheadMs
    if (inMs < readAheadMs) {
      this.limitTo(waitMs)
      return
    }
    this.#limit = setTimeout(() => {
      this.limitTo(Math.max(0, Math.ceil(this.waitLeftMs)))
      this.readObstacle()
    }, inMs)
  }

  /** What settles its call, unless another one has ended it. */
  #finish(hasSucceeded: boolean): Settlement<R> | undefined {
    const from = this.#state
    if (from === 'over') return undefined
    this.#state = 'over'
    clearTimeout(this.#limit)
    clearTimeout(this.#timer)
    this.#stopListening?.()
    this.leave(from, hasSucceeded)
    return this.#settle
  }
}
