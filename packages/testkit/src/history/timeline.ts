import type { HistoryEvent } from './event.js'
import { groupBy, inOrder } from './grouping.js'
import { Faults } from './faults.js'
import { holdsOf, permitsAt } from './holds.js'
import { barsOf, rowsOf, type Bar, type Row } from './lanes.js'
import { Sizes } from './sizes.js'
import { describeEvent } from './describe-event.js'

/** How a timeline is drawn. */
export interface TimelineOptions {
  /** Longer lines are truncated. @defaultValue 110 */
  readonly columns?: number
  /** Events to mark. If given, only they and nearby events are drawn. @defaultValue none: all are drawn */
  readonly marked?: ReadonlySet<HistoryEvent>
  /** The instant that times count from. @defaultValue that of the first event */
  readonly originMs?: number
}

/** Rows drawn before and after a marked one. */
const near = { before: 6, after: 2 }

/** The width of a process's name. */
const maxNameLength = 10

/**
 * Draws a history as text: a line per event, its time in milliseconds since the first, and a column per process.
 *
 * | Sign      | Means                                                            |
 * | --------- | ---------------------------------------------------------------- |
 * | `┏ ┃ ┗`   | the process has a live hold: its beginning, middle and end       |
 * | `!!`      | two holds of one lock are live, or more permits than there are   |
 * | `? : x`   | requested, queued, refused                                       |
 * | `. ~ †`   | release acknowledged, stalled, killed                            |
 * | `>`       | a marked event                                                   |
 */
export function drawTimeline(events: readonly HistoryEvent[], options: TimelineOptions = {}): string {
  const ordered = inOrder(events)
  const { columns = 110, marked = new Set(), originMs = ordered[0]?.atMs ?? 0 } = options
  const holds = holdsOf(ordered)
  const sizes = new Sizes(ordered, new Faults(ordered, 0))
  const rows = rowsOf(ordered, holds)
  const bars = barsOf(rows, holds)
  const shown = rows.map((_, i) => marked.size === 0 || isNear(i, rows, marked))
  const seen = rows.filter((_, i) => shown[i])
  const tracks = processesOf(seen).map((process) => trackOf(process, bars.get(process) ?? []))
  const timeOf = (atMs: number) => (atMs - originMs).toFixed(1)
  const timeWidth = Math.max(2, ...seen.map(({ atMs }) => timeOf(atMs).length))
  const withLock =
    new Set(seen.flatMap(({ event }) => (event && 'lock' in event ? [event.lock] : []))).size > 1

  const head = `  ${'ms'.padStart(timeWidth)}     ${tracks.map(({ name, width }) => name.padEnd(width)).join('  ')}`
  const lines = [head.trimEnd()]
  let hidden = 0
  rows.forEach((row, i) => {
    if (!shown[i]) {
      hidden += 1
      return
    }
    if (hidden > 0) lines.push(`  ${' '.repeat(timeWidth)}     … ${hidden} more`)
    hidden = 0
    const mark = row.event && marked.has(row.event) ? '>' : ' '
    const conflict = isConflict(i, row.atMs, [...bars.values()].flat(), sizes) ? '!!' : '  '
    const cells = tracks.map((track) => cellsOf(track, row, i)).join(groundOf(row).repeat(2))
    const words = row.event
      ? describeEvent(row.event, timeOf, withLock)
      : `${row.ended?.hold.process ?? ''}'s claim${withLock ? ` on ${row.ended?.hold.lock ?? ''}` : ''} ends`
    lines.push(`${mark} ${timeOf(row.atMs).padStart(timeWidth)}  ${conflict} ${cells}  ${words}`)
  })
  if (hidden > 0) lines.push(`  ${' '.repeat(timeWidth)}     … ${hidden} more`)
  return lines.map((line) => cut(line.replaceAll('\n', ' '), columns)).join('\n')
}

interface Track {
  readonly process: string
  readonly name: string
  readonly width: number
  readonly bars: readonly Bar[]
}

function trackOf(process: string, bars: readonly Bar[]): Track {
  const name = cut(process, maxNameLength)
  return {
    process,
    name,
    width: Math.max(name.length, 1 + Math.max(0, ...bars.map(({ lane }) => lane))),
    bars,
  }
}

function cellsOf({ process, width, bars }: Track, row: Row, i: number): string {
  const isOwn = row.event !== null && 'process' in row.event && row.event.process === process
  const cells = Array.from<string>({ length: width }).fill(groundOf(row))
  for (const { lane, from, until } of bars) {
    if (i < from || i > until) continue
    cells[lane] = i === from ? '┏' : i === until ? '┗' : '┃'
  }
  const sign = isOwn ? signs[row.event.kind] : undefined
  const free = cells.indexOf(' ')
  if (sign && free !== -1) cells[free] = sign
  return cells.join('')
}

/** Faults and their ends are drawn across all columns. */
function groundOf({ event }: Row): string {
  return event?.kind === 'fault' || event?.kind === 'healed' ? '─' : ' '
}

const signs: Partial<Record<HistoryEvent['kind'], string>> = {
  requested: '?',
  queued: ':',
  refused: 'x',
  released: '.',
  stalled: '~',
  killed: '†',
}

function isConflict(i: number, atMs: number, bars: readonly Bar[], sizes: Sizes): boolean {
  const live = bars.filter(({ from, until }) => from <= i && i < until).map(({ hold }) => hold)
  return [...groupBy(live, ({ lock }) => lock).entries()].some(([lock, holds]) => {
    const sum = holds.reduce((permits, hold) => permits + permitsAt(hold, atMs), 0)
    return holds.length > 1 && sum > sizes.most(lock, { fromMs: atMs, untilMs: atMs })
  })
}

function isNear(i: number, rows: readonly Row[], marked: ReadonlySet<HistoryEvent>): boolean {
  const around = rows.slice(Math.max(0, i - near.after), i + near.before + 1)
  return around.some(({ event }) => event !== null && marked.has(event))
}

function processesOf(rows: readonly Row[]): string[] {
  const named = rows.flatMap(({ event, ended }) => {
    if (ended) return [ended.hold.process]
    return event && 'process' in event ? [event.process] : []
  })
  return [...new Set(named)]
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
