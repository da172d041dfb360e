import { readFileSync } from 'node:fs'
import type { HistoryEvent } from './event.js'
import { inOrder } from './grouping.js'

const kinds = new Set<string>([
  'asked',
  'queued',
  'acquired',
  'confirmed',
  'left',
  'released',
  'lost',
  'untold',
  'refused',
  'fault',
  'healed',
  'killed',
  'stalled',
  'counted',
  'leftover',
] satisfies HistoryEvent['kind'][])

/**
 * The events of all files on one axis of time; those of one instant in the order of the files and their lines.
 *
 * A last line that its process did not live to finish is skipped. Throws on any other line that holds no event.
 */
export function readHistories(files: readonly string[]): HistoryEvent[] {
  return inOrder(files.flatMap(readHistory))
}

function readHistory(file: string): HistoryEvent[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  // What follows the last line break is empty or torn.
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
    kinds.has(value.kind) &&
    'atMs' in value &&
    typeof value.atMs === 'number'
  )
}
