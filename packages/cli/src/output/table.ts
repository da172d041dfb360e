import { cut, widthOf } from './width.js'

const gap = '  '

export interface Column<T> {
  readonly title: string
  /** A text that is safe to show. */
  readonly cell: (row: T) => string
  /** Numbers and durations line up on their right. */
  readonly isRight?: boolean
  /** Cut off if the terminal is too narrow; at most one column of a table. */
  readonly isFlexible?: boolean
}

const least = 12

/** The lines of a table without a frame, the titles first. */
export function tableLines<T>(columns: readonly Column<T>[], rows: readonly T[], width = Infinity): string[] {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
  ]
  // No spread: as arguments of one call, more than about 120 000 rows overflow the stack.
  const widths = columns.map((_, i) =>
    cells.reduce((widest, line) => Math.max(widest, widthOf(line[i] ?? '')), 0),
  )
  const excess = widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1)) - width
  const shown = columns.map(({ isFlexible }, i) => {
    const wanted = widths[i] ?? 0
    return isFlexible && excess > 0 ? Math.max(Math.min(least, wanted), wanted - excess) : wanted
  })
  return cells.map((line) =>
    columns
      .map(({ isRight = false }, i) => pad(cut(line[i] ?? '', shown[i] ?? 0), shown[i] ?? 0, isRight))
      .join(gap)
      .trimEnd(),
  )
}

function pad(text: string, width: number, isRight: boolean): string {
  const fill = ' '.repeat(Math.max(0, width - widthOf(text)))
  return isRight ? fill + text : text + fill
}
