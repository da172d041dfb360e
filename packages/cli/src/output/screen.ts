import { aroundStops } from './suspension.js'

// Without auto-wrap, or a line that is too long would take two and push others off the screen.
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l'
const leave = '\x1b[?7h\x1b[?25h\x1b[?1049l'

/**
 * A page on a terminal that is drawn again and again, on the alternate screen, so that what was there before comes back: at the
 * end, and while this process is stopped by Ctrl-Z.
 */
export class Screen implements Disposable {
  readonly #output: NodeJS.WriteStream
  readonly #leave = (): void => void this.#output.write(leave)
  readonly #endSuspension: () => void
  #drawn: readonly string[] = []
  #isLeft = false

  constructor(output: NodeJS.WriteStream) {
    this.#output = output
    this.#enter()
    process.on('exit', this.#leave)
    this.#endSuspension = aroundStops({ leave: this.#leave, enter: () => this.#enter() })
  }

  /** Some terminals do not know their size. */
  get columns(): number {
    return this.#output.columns || Infinity
  }

  get rows(): number {
    return this.#output.rows || Infinity
  }

  /**
   * Does nothing after the end: what was there before is back by then.
   *
   * @param lines - safe to show; as many as fit are drawn
   */
  draw(lines: readonly string[]): void {
    if (this.#isLeft) return
    this.#drawn = lines
    const shown = lines.slice(0, this.rows - 1)
    this.#output.write(`\x1b[H${shown.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`)
  }

  [Symbol.dispose](): void {
    this.#endSuspension()
    process.off('exit', this.#leave)
    this.#isLeft = true
    this.#leave()
  }

  #enter(): void {
    this.#output.write(enter)
    this.draw(this.#drawn)
  }
}
