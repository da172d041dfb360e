import { emitKeypressEvents } from 'node:readline'

const scrolling = ['up', 'down', 'pageup', 'pagedown', 'home', 'end'] as const

/** A key that scrolls. */
export type Key = (typeof scrolling)[number]

/** As in less(1). */
const alike: Readonly<Record<string, Key>> = { k: 'up', j: 'down', b: 'pageup', space: 'pagedown' }

/**
 * The keys that are pressed at the terminal, each at once and without being echoed. The terminal then sends no signals itself, so
 * those of Ctrl-C, Ctrl-\\ and Ctrl-Z are sent to the group of this process, as the terminal would. `q` ends this process only.
 */
export class Keyboard {
  readonly #onScroll: (key: Key) => void

  constructor(onScroll: (key: Key) => void) {
    this.#onScroll = onScroll
  }

  /** Whether there is one: stdin may be something else. */
  get isThere(): boolean {
    return process.stdin.isTTY
  }

  take(): void {
    if (!this.isThere) return
    emitKeypressEvents(process.stdin)
    process.stdin.setRawMode(true)
    process.stdin.on('keypress', this.#onKey).resume()
  }

  /** Gives the terminal back as it was. */
  release(): void {
    if (!this.isThere) return
    process.stdin.off('keypress', this.#onKey).pause()
    process.stdin.setRawMode(false)
  }

  readonly #onKey = (_: unknown, pressed: { readonly name?: string; readonly sequence?: string }): void => {
    const { name = '', sequence = '' } = pressed
    const signal = signals[sequence]
    if (signal) process.kill(0, signal)
    if (sequence === 'q') process.kill(process.pid, 'SIGINT')
    const key = alike[name] ?? scrolling.find((each) => each === name)
    if (key) this.#onScroll(key)
  }
}

const signals: Readonly<Record<string, NodeJS.Signals>> = {
  '\x03': 'SIGINT',
  '\x1c': 'SIGQUIT',
  '\x1a': 'SIGTSTP',
}
