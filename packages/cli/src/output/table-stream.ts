import { tableLines, type Column } from './table.js'

const batchSize = 40
const longestWaitMs = 300

/** Prints a table while its rows still arrive. The first rows decide how wide the columns are; later ones may be wider. */
export class TableStream<T> {
  readonly #columns: readonly Column<T>[]
  readonly #print: (line: string) => void
  readonly #width: number
  #rows: T[] = []
  #shown: readonly T[] | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(columns: readonly Column<T>[], print: (line: string) => void, width: number) {
    this.#columns = columns
    this.#print = print
    this.#width = width
  }

  add(row: T): void {
    this.#rows.push(row)
    if (this.#rows.length >= batchSize) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), longestWaitMs)
  }

  /** Prints what has arrived. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#rows.length === 0) return
    const first = this.#shown
    this.#shown ??= this.#rows
    // Laid out together with the first rows, so that columns stay where they are.
    const lines = tableLines(this.#columns, [...(first ?? []), ...this.#rows], this.#width)
    for (const line of lines.slice(first ? 1 + first.length : 0)) this.#print(line)
    this.#rows = []
  }
}
