import { setMaxListeners } from 'node:events'
import { longestMs, monotonicMs } from '../time/time.js'
import { LinkedList, ListNode } from './lists.js'

/** Something that may only take so long. */
export abstract class TimeLimited {
  /** @internal */
  dueAt = Infinity
  /** @internal */
  readonly node: ListNode<TimeLimited> = new ListNode<TimeLimited>(this)

  /** Called once when the limit passes, unless it was deleted first. */
  abstract onTimeout(): void
}

/**
 * Many time limits on one timer: most of what is limited ends long before its limit, so arming and clearing a timer for
 * each would be most of the cost.
 */
export class Timeouts {
  readonly #pending = new LinkedList<TimeLimited>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity

  get size(): number {
    return this.#pending.size
  }

  add(item: TimeLimited, ms: number): void {
    item.dueAt = monotonicMs() + ms
    this.#pending.add(item.node)
    if (item.dueAt < this.#timerAt) this.#arm(item.dueAt)
  }

  /** Whether it was still pending. */
  delete(item: TimeLimited): boolean {
    return this.#pending.delete(item.node)
  }

  /** Ends all of them now, as if their time had run out. */
  timeOutAll(): void {
    clearTimeout(this.#timer)
    this.#timerAt = Infinity
    for (const item of this.#pending.toArray()) if (this.delete(item)) item.onTimeout()
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#timerAt = at
    const inMs = Math.min(Math.max(0, Math.ceil(at - monotonicMs())), longestMs)
    // After a stall of the event loop the reply may lie in a socket already: let it be read first.
    this.#timer = setTimeout(() => setImmediate(this.#onTimer), inMs)
    this.#timer.unref()
  }

  readonly #onTimer = (): void => {
    this.#timerAt = Infinity
    const now = monotonicMs()
    let nextAt = Infinity
    for (const item of this.#pending.toArray()) {
      if (item.dueAt > now) nextAt = Math.min(nextAt, item.dueAt)
      else if (this.delete(item)) item.onTimeout()
    }
    if (nextAt < this.#timerAt) this.#arm(nextAt)
  }
}

/** What {@link within} resolves with when time ran out. */
export const timedOut = Symbol('timed out')

/** Settles as `work` does, but resolves with {@link timedOut} if that takes longer than `limitMs`. The work goes on. */
export function within<T>(work: Promise<T>, limitMs: number): Promise<T | typeof timedOut> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // After an event-loop stall timers run before sockets are read. The reply may be lying there already, so it gets
      // one turn of the loop to be read.
      setImmediate(resolve, timedOut)
    }, limitMs)
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}

/**
 * Waits for `work` for at most `ms` (`Infinity`: as long as it takes) or until the signal aborts; then rejects with the
 * signal's reason. The work itself goes on: the caller undoes what comes of it.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  signal?: AbortSignal,
): Promise<T | typeof timedOut> {
  signal?.throwIfAborted()
  if (!signal) return ms === Infinity ? work : within(work, ms)
  let stopListening: (() => void) | undefined
  const aborted = new Promise<typeof timedOut>((resolve) => {
    stopListening = onAbort(signal, () => resolve(timedOut))
  })
  try {
    const first = Promise.race([work, aborted])
    const result = await (ms === Infinity ? first : within(first, ms))
    if (result === timedOut) signal.throwIfAborted()
    return result
  } finally {
    stopListening?.()
  }
}

/** How a back-off grows: the pause after the first failure, and the longest one, milliseconds. */
export interface BackoffBounds {
  readonly firstMs: number
  readonly longestMs: number
}

/**
 * How long to pause before the next attempt: `firstMs` after one failure, doubling with each further one, up to
 * `longestMs`. Drawn at random from the upper half of that, so that the clients of a server that comes back do not all
 * arrive together.
 *
 * @param failures - attempts that failed in a row, at least 1
 * @param random - a number from 0 up to 1
 */
export function backoffMs(
  failures: number,
  { firstMs, longestMs }: BackoffBounds,
  random = Math.random(),
): number {
  const limitMs = Math.min(firstMs * 2 ** (failures - 1), longestMs)
  return limitMs * (0.5 + random / 2)
}

/** Resolves after `ms`. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const bounds = { firstMs: 20, longestMs: 500 }

/** How long to pause before a failed step is repeated: 20 ms after one failure, doubling to 500 ms, with jitter. */
export const retryAfterMs = (failures: number): number => backoffMs(failures, bounds)

/** Resolves after `ms`. Rejects with the signal's reason, and leaves no timer, as soon as one of the signals aborts. */
export async function abortablePause(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  for (const signal of signals) signal.throwIfAborted()
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void)[] = []
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
    stopListening = signals.map((signal) => onAbort(signal, resolve))
  })
  clearTimeout(timer)
  for (const stop of stopListening) stop()
  for (const signal of signals) signal.throwIfAborted()
}

/** For a signal that applications get: however many listeners they add, Node is not to warn of a leak. */
export function abortController(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/** A callback for an abort. */
class Waiting {
  readonly node: ListNode<Waiting> = new ListNode<Waiting>(this)

  constructor(readonly callback: () => void) {}
}

/** Lists, not Sets: a service-wide signal sees every wait of the service come and go. */
const listening = new WeakMap<
  AbortSignal,
  { readonly all: LinkedList<Waiting>; readonly listener: () => void }
>()

/**
 * Calls back when the signal aborts; returns a function that stops that.
 *
 * However many waits share a signal, it gets one listener, and none once they are over: Node warns of a leak when a
 * signal has more than ten.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const entry = listening.get(signal) ?? listen(signal)
  const waiting = new Waiting(callback)
  entry.all.add(waiting.node)
  return () => {
    entry.all.delete(waiting.node)
    if (entry.all.size > 0 || listening.get(signal) !== entry) return
    listening.delete(signal)
    signal.removeEventListener('abort', entry.listener)
  }
}

function listen(signal: AbortSignal) {
  const all = new LinkedList<Waiting>()
  const listener = (): void => {
    listening.delete(signal)
    // One of them may end the wait of another.
    for (const { node, callback } of all.toArray()) if (all.delete(node)) callback()
  }
  const entry = { all, listener }
  listening.set(signal, entry)
  signal.addEventListener('abort', listener, { once: true })
  return entry
}
