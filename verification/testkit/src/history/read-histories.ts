import { readFileSync } from 'node:fs'
import type { HistoryEvent } from './event.js'
import { inOrder } from './grouping.js'

const kinds: Readonly<Record<HistoryEvent['kind'], true>> = {
  sized: true,
  resizing: true,
  resized: true,
  requested: true,
  queued: true,
  acquired: true,
  lowered: true,
  confirmed: true,
  left: true,
  released: true,
  lost: true,
  'loss-found': true,
  refused: true,
  setting: true,
  set: true,
  counting: true,
  'counted-down': true,
  deleting: true,
  deleted: true,
  passed: true,
  fault: true,
  healed: true,
  killed: true,
  stalled: true,
  disconnected: true,
  counted: true,
  leftover: true,
}

/**
 * The events of all files, sorted by time; those of one instant in the order of the files and their lines.
 *
 * An incomplete last line, of a process that was killed, is skipped. Throws on any other line that is not an event.
 */
export function readHistories(files: readonly string[]): HistoryEvent[] {
  return inOrder(files.flatMap(readHistory))
}

function readHistory(file: string): HistoryEvent[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  // Whatever follows the last line break is empty or incomplete.
  return lines.slice(0, -1).map((line, i) => {
    const event = parse(line)
    if (!isEvent(event)) throw new Error(`${file}:${i + 1} is not an event: ${line}`)
    return event
  })
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isEvent(value: unknown): value is HistoryEvent {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    typeof value.kind === 'string' &&
    Object.hasOwn(kinds, value.kind) &&
    'atMs' in value &&
    typeof value.atMs === 'number'
  )
}
