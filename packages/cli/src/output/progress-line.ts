/** No more often than this, so that a slow terminal keeps up. */
const everyMs = 500

/** A line on stderr that is rewritten while something takes its time; nothing if stderr is not a terminal. */
export class ProgressLine {
  readonly #timer: NodeJS.Timeout | undefined
  #isShown = false

  /** @param text - safe to show */
  constructor(text: () => string) {
    if (!process.stderr.isTTY) return
    this.#timer = setInterval(() => {
      this.#isShown = true
      process.stderr.write(`\r\x1b[K${text()}`)
    }, everyMs)
  }

  /** Makes room for other lines; it comes back. */
  clear(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K')
    this.#isShown = false
  }

  end(): void {
    clearInterval(this.#timer)
    this.clear()
  }
}
