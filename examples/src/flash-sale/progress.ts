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

/** Called with the totals of all shops. */
export type OnProgress = (served: number, sold: number) => void

/** Adds up what each shop has served and sold. */
export function report(
  shops: readonly { readonly served: number; readonly sold: number }[],
  onProgress: OnProgress,
): void {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
  onProgress(sum(shops.map(({ served }) => served)), sum(shops.map(({ sold }) => sold)))
}
