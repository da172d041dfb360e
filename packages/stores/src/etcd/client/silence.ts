/**
 * Notices a connection on which nothing arrives, though replies are owed.
 *
 * | State   | Meaning                                    | Left when                                                            |
 * | ------- | ------------------------------------------ | -------------------------------------------------------------------- |
 * | at rest | nothing is owed, or something was heard    | a request is sent: waiting                                           |
 * | waiting | nothing was heard since a request was sent | something is heard: at rest, or waiting anew; half the limit: pinged |
 * | pinged  | nor since                                  | something is heard: the same; the rest of the limit: over            |
 *
 * A request that nobody waits for any more is owed until something is heard: its limit may be shorter than that of the silence.
 */
export class Silence {
  readonly #limitMs: number
  readonly #ping: (heard: () => void) => void
  readonly #over: (ms: number) => void
  #owed = 0
  #since: number | undefined
  /** Whether anything was heard since the last request was sent. */
  #isHeard = false
  #isPinged = false
  #timer: NodeJS.Timeout | undefined

  constructor(limitMs: number, ping: (heard: () => void) => void, over: (ms: number) => void) {
    this.#limitMs = limitMs
    this.#ping = ping
    this.#over = over
  }

  asked(): void {
    this.#owed += 1
    this.#isHeard = false
    if (this.#since === undefined) this.#wait()
  }

  answered(): void {
    this.#owed -= 1
    if (this.#owed === 0 && this.#isHeard) this.stop()
  }

  readonly heard = (): void => {
    this.#isHeard = true
    this.#isPinged = false
    if (this.#owed === 0) this.stop()
    else if (this.#since !== undefined) this.#since = performance.now()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#since = undefined
  }

  #wait(): void {
    this.#since = performance.now()
    this.#isPinged = false
    this.#lookIn(this.#limitMs / 2)
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer)
    // What arrived while the process stood still is read before it is judged.
    this.#timer = setTimeout(() => setImmediate(() => this.#look()), ms)
    this.#timer.unref()
  }

  #look(): void {
    if (this.#since === undefined) return
    const silentMs = performance.now() - this.#since
    if (silentMs < this.#limitMs / 2) this.#lookIn(this.#limitMs / 2 - silentMs)
    else if (!this.#isPinged) {
      this.#isPinged = true
      this.#ping(this.heard)
      this.#lookIn(this.#limitMs / 2)
    } else if (silentMs >= this.#limitMs) this.#over(Math.round(silentMs))
    else this.#lookIn(this.#limitMs - silentMs)
  }
}
