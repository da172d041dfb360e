/** One line that is rewritten on a terminal; a line per quarter anywhere else. */
export class Progress {
  readonly #label: string
  readonly #total: number
  #quarters = 0

  constructor(label: string, total: number) {
    this.#label = label
    this.#total = total
  }

  show(done: number, note: string): void {
    const text = `${this.#label} ${done}/${this.#total} requests, ${note}`
    if (process.stdout.isTTY) {
      process.stdout.write(`\r\x1b[2K${text}`)
      return
    }
    const quarters = Math.floor((4 * done) / this.#total)
    if (quarters === this.#quarters) return
    this.#quarters = quarters
    console.log(text)
  }

  /** Ends the line. */
  end(): void {
    if (process.stdout.isTTY) process.stdout.write('\n')
  }
}
