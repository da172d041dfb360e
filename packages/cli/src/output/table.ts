import { cut, widthOf } from './width.js'

const gap = '  '

export interface Column<T> {
  readonly title: string
  /** A text that is safe to show. */
  readonly cell: (row: T) => string
  /** Numbers and durations line up on their right. */
  readonly isRight?: boolean
  /** Cut off if the terminal is too narrow; of several, the last one first. */
  readonly isFlexible?: boolean
  /** Left out, the last one first, rather than cutting off the first flexible column. */
  readonly isOptional?: boolean
}

const least = 12

/** The lines of a table without a frame, the titles first. */
export function tableLines<T>(columns: readonly Column<T>[], rows: readonly T[], width = Infinity): string[] {
  const shown = fitting(
    columns.map((column) => measured(column, rows)),
    width,
  )
  return ['', ...rows].map((_, line) =>
    shown
      .map(({ column: { isRight = false }, cells, width: given }) =>
        pad(cut(cells[line] ?? '', given), given, isRight),
      )
      .join(gap)
      .trimEnd(),
  )
}

interface Measured<T> {
  readonly column: Column<T>
  /** The title first. */
  readonly cells: readonly string[]
  readonly width: number
}

function measured<T>(column: Column<T>, rows: readonly T[]): Measured<T> {
  const cells = [column.title, ...rows.map(column.cell)]
  // No spread: as arguments of one call, more than about 120 000 cells overflow the stack.
  return { column, cells, width: cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), 0) }
}

/** The columns that are shown, in the widths in which they are. */
function fitting<T>(all: readonly Measured<T>[], width: number): readonly Measured<T>[] {
  const first = all.find(({ column }) => column.isFlexible)
  // What is left when all flexible columns but the first are as narrow as they get.
  const narrowest = all.map((each) => (each === first ? each.width : leastOf(each)))
  const dispensable = all.filter(({ column }) => column.isOptional).pop()
  if (dispensable && total(narrowest) > width) {
    const others = all.filter((each) => each !== dispensable)
    return fitting(others, width)
  }
  let excess = total(all.map((each) => each.width)) - width
  const cutOff = [...all].reverse().map((each) => {
    const given = Math.max(leastOf(each), each.width - Math.max(0, excess))
    excess -= each.width - given
    return { ...each, width: given }
  })
  return cutOff.reverse()
}

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1))

const leastOf = <T>({ column, width }: Measured<T>): number =>
  column.isFlexible ? Math.min(least, width) : width

function pad(text: string, width: number, isRight: boolean): string {
  const fill = ' '.repeat(Math.max(0, width - widthOf(text)))
  return isRight ? fill + text : text + fill
}
