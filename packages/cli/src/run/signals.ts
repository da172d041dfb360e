/** What the command gets as well. */
export const forwarded = ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGINT', 'SIGUSR1', 'SIGUSR2'] as const
type Forwarded = (typeof forwarded)[number]

/** These do not end a wait: they only mean something to the command. */
const isForCommandOnly = (signal: Forwarded): boolean => signal === 'SIGUSR1' || signal === 'SIGUSR2'

/** What keys at a terminal send to every process of its foreground group: forwarded, they would arrive twice. */
const isFromKeyboard = (signal: Forwarded): boolean => signal === 'SIGINT' || signal === 'SIGQUIT'

/** The signals that this process gets, for whatever it does at the time. */
export class Signals implements Disposable {
  #abort = new AbortController()
  #first: Forwarded | undefined
  #target: ((signal: Forwarded) => void) | undefined
  readonly #listener = (signal: NodeJS.Signals): void => this.#take(signal as Forwarded)

  constructor() {
    for (const signal of forwarded) process.on(signal, this.#listener)
  }

  /** Aborts at the first signal that ends what this process does now. */
  get aborted(): AbortSignal {
    return this.#abort.signal
  }

  /** The signal because of which no command is to start. */
  get first(): Forwarded | undefined {
    return this.#first
  }

  /**
   * From now on signals are forwarded.
   *
   * @param hasTerminal - whether what keys send reaches the command without us
   */
  forward(target: (signal: NodeJS.Signals) => void, hasTerminal: boolean): void {
    this.#target = (signal) => {
      if (!(hasTerminal && isFromKeyboard(signal))) target(signal)
    }
  }

  /** From now on signals end what this process still does. Aborts at the next one: an earlier one may have led here. */
  next(): AbortSignal {
    this.#target = undefined
    this.#abort = new AbortController()
    return this.#abort.signal
  }

  [Symbol.dispose](): void {
    for (const signal of forwarded) process.off(signal, this.#listener)
  }

  #take(signal: Forwarded): void {
    if (this.#target) this.#target(signal)
    else if (!isForCommandOnly(signal)) {
      this.#first ??= signal
      this.#abort.abort()
    }
  }
}
