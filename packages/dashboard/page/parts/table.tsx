import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Column<Row> {
  readonly title: string
  /** Numbers stand at the right, so that their digits line up. */
  readonly isNumber?: boolean
  /** Stays in view when the table scrolls. */
  readonly isPinned?: boolean
  cell(row: Row): ComponentChildren
}

interface TableProps<Row> {
  /** Says what the table shows, to those who cannot see it. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** The style that sets each row in several lines on a narrow screen, where the table need not scroll then. */
  readonly fold?: string
}

/** A table whose first column names the row. */
export function Table<Row>({ caption, columns, rows, keyOf, fold = '' }: TableProps<Row>) {
  const classOf = ({ isNumber, isPinned }: Column<Row>): string =>
    isNumber ? 'number' : isPinned ? 'pinned' : ''
  const [box, edges, measure] = useEdges()
  return (
    <div
      ref={box}
      class={`scroll ${edges}`}
      role="region"
      aria-label={caption}
      tabIndex={0}
      onScroll={measure}
    >
      <table class={fold}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, i) =>
                i === 0 ? (
                  <th key={column.title} scope="row" class={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.title} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** At which edges of a box that scrolls there is more to see. */
function useEdges() {
  const box = useRef<HTMLDivElement>(null)
  const [edges, setEdges] = useState('')
  const measure = (): void => {
    if (!box.current) return
    const { scrollLeft, scrollWidth, clientWidth } = box.current
    const isBefore = scrollLeft > 0
    // Of a zoomed page the numbers are rounded.
    const isAfter = scrollWidth - clientWidth - scrollLeft > 1
    setEdges(`${isBefore ? 'more-left' : ''} ${isAfter ? 'more-right' : ''}`)
  }
  // Its content may be wider than it was, too.
  useLayoutEffect(measure)
  useLayoutEffect(() => {
    if (!box.current) return
    const sizes = new ResizeObserver(measure)
    sizes.observe(box.current)
    return () => sizes.disconnect()
  }, [])
  return [box, edges, measure] as const
}
