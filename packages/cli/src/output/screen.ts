import { Keyboard, type Key } from './keyboard.js'
import { aroundStops } from './suspension.js'
import { paint } from './terminal.js'

// Without auto-wrap, or a line that is too long would take two and push others off the screen.
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l'
const leave = '\x1b[?7h\x1b[?25h\x1b[?1049l'

/**
 * A page on a terminal that is drawn again and again, on the alternate screen, so that what was there before comes back: at the
 * end, and while this process is stopped by Ctrl-Z. Keys scroll it, and `q` is as good as Ctrl-C.
 */
export class Screen implements Disposable {
  readonly #output: NodeJS.WriteStream
  readonly #keyboard = new Keyboard((key) => this.#take(key))
  readonly #leave = (): void => {
    this.#keyboard.release()
    this.#output.write(leave)
  }
  readonly #onResize = (): void => this.draw(this.#drawn)
  readonly #endSuspension: () => void
  #drawn: readonly string[] = []
  /** How many lines are above what is seen. */
  #above = 0
  #isLeft = false

  constructor(output: NodeJS.WriteStream) {
    this.#output = output
    this.#enter()
    process.on('exit', this.#leave)
    output.on('resize', this.#onResize)
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
   * @param lines - safe to show; as many as fit are drawn, from where keys have scrolled to
   */
  draw(lines: readonly string[]): void {
    if (this.#isLeft) return
    this.#drawn = lines
    const height = this.#heightFor(lines)
    this.#above = Math.max(0, Math.min(this.#above, lines.length - height))
    const shown = lines.slice(this.#above, this.#above + height)
    if (height < lines.length) shown.push(this.#position(lines.length, height))
    this.#output.write(`\x1b[H${shown.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`)
  }

  [Symbol.dispose](): void {
    this.#endSuspension()
    process.off('exit', this.#leave)
    this.#output.off('resize', this.#onResize)
    this.#isLeft = true
    this.#leave()
  }

  /** How many of these lines are seen at once: one row stays empty, and one says where that is if there are more. */
  #heightFor(lines: readonly string[]): number {
    return lines.length < this.rows ? lines.length : Math.max(1, this.rows - 2)
  }

  #position(count: number, height: number): string {
    const keys = this.#keyboard.isThere ? '   ↑ ↓ PgUp PgDn scroll, q ends' : ''
    return paint('dim', `lines ${this.#above + 1} to ${this.#above + height} of ${count}${keys}`)
  }

  #take(key: Key): void {
    const page = this.#heightFor(this.#drawn)
    const by = { up: -1, down: 1, pageup: -page, pagedown: page, home: -Infinity, end: Infinity }
    this.#above = Math.max(0, Math.min(this.#above + by[key], this.#drawn.length))
    this.draw(this.#drawn)
  }

  #enter(): void {
    this.#keyboard.take()
    this.#output.write(enter)
    this.draw(this.#drawn)
  }
}
