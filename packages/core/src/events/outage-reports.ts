import type { HoldfastError, UnavailableError } from '../errors/errors.js'
import { monotonicMs } from '../time/time.js'

/** At most one report in this time. */
const windowMs = 1_000

/**
 * Errors of one outage: there may be thousands, one for each waiter and attempt. The first is reported at once, then the
 * latest of each second, with the number of errors that it stands for.
 */
export class OutageReports {
  readonly #report: (error: HoldfastError, count: number) => void
  readonly #onIdle: (() => void) | undefined
  /** When the last report was made; nothing is held back for longer than one window. */
  #reportedAt = -Infinity
  #latest: HoldfastError | undefined
  #count = 0
  #timer: NodeJS.Timeout | undefined

  /** @param onIdle - called after a second without an error, and at the end */
  constructor(report: (error: HoldfastError, count: number) => void, onIdle?: () => void) {
    this.#report = report
    this.#onIdle = onIdle
  }

  add(error: HoldfastError): void {
    this.#latest = error
    this.#count++
    // Fake timers of a test may have come or gone since: then the timer may never fire, and time seems to run backwards.
    const sinceMs = monotonicMs() - this.#reportedAt
    if (sinceMs < 0 || sinceMs >= windowMs) this.flush()
  }

  flush(): void {
    clearTimeout(this.#timer)
    const error = this.#latest
    if (!error) {
      this.#onIdle?.()
      return
    }
    const count = this.#count
    this.#latest = undefined
    this.#count = 0
    this.#reportedAt = monotonicMs()
    this.#timer = setTimeout(() => this.flush(), windowMs)
    // This timer must not keep the process alive.
    this.#timer.unref()
    this.#report(error, count)
  }

  close(): void {
    this.flush()
    clearTimeout(this.#timer)
  }
}

/** Of the warnings that are given once per process. */
const given = new Set<string>()

/** Node.js prints it to stderr, unless the program listens to the warnings of its process. */
export function warnProcess(code: string, text: string): void {
  process.emitWarning(text, { type: 'HoldfastWarning', code })
}

/** The same, once in the life of the process. */
export function warnProcessOnce(code: string, text: () => string): void {
  if (given.has(code)) return
  given.add(code)
  warnProcess(code, text())
}

/** Once the store has been reached, shorter outages are not reported. */
const blipMs = 2_000

/**
 * Warns on the console that the store cannot be reached, if the program does not listen to `error` events: at once if the
 * store was never reached, and once for each outage.
 */
export class UnreachableWarning {
  #wasReached = false
  #unreachableSince: number | undefined
  #isWarned = false

  /** The store replied for the first time, or again after a break. */
  reached(): void {
    this.#wasReached = true
    this.#unreachableSince = undefined
    this.#isWarned = false
  }

  note(error: UnavailableError): void {
    this.#unreachableSince ??= monotonicMs()
    if (this.#isWarned) return
    if (this.#wasReached && monotonicMs() - this.#unreachableSince < blipMs) return
    this.#isWarned = true
    warnProcess(
      'HOLDFAST_UNAVAILABLE',
      `${error.message.replace(/\.$/, '')}. Holdfast keeps trying to reach it. To handle outages, listen to the client's 'error' event; without a listener this is shown once per outage.`,
    )
  }
}
