/** Formats rows in columns of minimal width: text left-aligned, numbers right-aligned. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => String(row[column]).length)),
  )
  const line = (cells: readonly (string | number)[], isNumber: (column: number) => boolean) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return isNumber(column) ? String(cell).padStart(width) : String(cell).padEnd(width)
      })
      .join('  ')
      .trimEnd()
  const isNumber = (column: number) => typeof rows[0]?.[column] === 'number'
  return [
    line(head, isNumber),
    widths.map((width) => '─'.repeat(width)).join('  '),
    ...rows.map((row) => line(row, isNumber)),
  ].join('\n')
}
