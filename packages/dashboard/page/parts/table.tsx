import type { ComponentChildren } from 'preact'

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
}

/** A table whose first column names the row. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  const classOf = ({ isNumber, isPinned }: Column<Row>): string =>
    isNumber ? 'number' : isPinned ? 'pinned' : ''
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
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
