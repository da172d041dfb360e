import { describeEvent } from './describe-event.js'
import type { HistoryEvent } from './event.js'
import { Faults } from './faults.js'
import { groupBy, inOrder } from './grouping.js'
import { permitsAt } from './holds.js'
import { rowsOf, type Row } from './rows.js'
import { Sizes } from './sizes.js'

/** How a timeline is written. */
export interface TimelineOptions {
  /** Longer lines are truncated. @defaultValue 110 */
  readonly columns?: number
  /** Events to mark. If given, only they and nearby events are shown. @defaultValue none: all are shown */
  readonly marked?: ReadonlySet<HistoryEvent>
  /** The instant that times count from. @defaultValue that of the first event */
  readonly originMs?: number
}

/** Rows shown before and after a marked one. */
const near = { before: 6, after: 2 }

/**
 * Writes a history as text: a line per event, with its time in milliseconds since the first, and who holds from then on.
 * `>` is a marked event; `!!`: two holds of one lock are live, or more permits than there are.
 */
export function drawTimeline(events: readonly HistoryEvent[], options: TimelineOptions = {}): string {
  const ordered = inOrder(events)
  const { columns = 110, marked = new Set(), originMs = ordered[0]?.atMs ?? 0 } = options
  const sizes = new Sizes(ordered, new Faults(ordered, 0))
  const rows = rowsOf(ordered)
  const shown = rows.map((_, i) => marked.size === 0 || isNear(i, rows, marked))
  const withLock = new Set(ordered.flatMap((event) => ('lock' in event ? [event.lock] : []))).size > 1
  const timeOf = (atMs: number): string => (atMs - originMs).toFixed(1)
  const holders = rows.map(({ live }) => live.map(({ process }) => process).join(' '))
  const widthOf = (texts: readonly string[]): number =>
    Math.max(0, ...texts.map((text, i) => (shown[i] ? text.length : 0)))
  const [timeWidth, holderWidth] = [widthOf(rows.map(({ atMs }) => timeOf(atMs))), widthOf(holders)]
  const lines: string[] = []
  let hidden = 0
  const skip = (): void => {
    if (hidden > 0) lines.push(`  ${' '.repeat(timeWidth)}     … ${hidden} more`)
    hidden = 0
  }
  rows.forEach((row, i) => {
    if (!shown[i]) {
      hidden += 1
      return
    }
    skip()
    const mark = row.event && marked.has(row.event) ? '>' : ' '
    const conflict = isConflict(row, sizes) ? '!!' : '  '
    const held = (holders[i] ?? '').padEnd(holderWidth)
    lines.push(
      `${mark} ${timeOf(row.atMs).padStart(timeWidth)}  ${conflict} ${held}  ${wordsOf(row, timeOf, withLock)}`,
    )
  })
  skip()
  return lines.map((line) => cut(line.replaceAll('\n', ' '), columns)).join('\n')
}

function wordsOf({ event, ended }: Row, timeOf: (atMs: number) => string, withLock: boolean): string {
  if (event) return describeEvent(event, timeOf, withLock)
  return `${ended?.process ?? ''}'s claim${withLock ? ` on ${ended?.lock ?? ''}` : ''} ends`
}

function isConflict({ live, atMs }: Row, sizes: Sizes): boolean {
  return [...groupBy(live, ({ lock }) => lock).entries()].some(([lock, holds]) => {
    const sum = holds.reduce((permits, hold) => permits + permitsAt(hold, atMs), 0)
    return holds.length > 1 && sum > sizes.most(lock, { fromMs: atMs, untilMs: atMs })
  })
}

function isNear(i: number, rows: readonly Row[], marked: ReadonlySet<HistoryEvent>): boolean {
  const around = rows.slice(Math.max(0, i - near.after), i + near.before + 1)
  return around.some(({ event }) => event !== null && marked.has(event))
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
