import type { LatchState } from '@holdfast/core/engine'
import type { StoredLatch } from './latch-store.js'

/** What the text of a latch says. */
export interface LatchRecord {
  /** `null`: the version of this very text. */
  readonly generation: number | null
  /** `null`: the generation. */
  readonly first: number | null
  readonly opened: number
  readonly previous: number
  /** How many parties have to count down. */
  readonly count: number
  readonly keepMs: number
  readonly setter: string
}

/** A latch, as it was read. */
export interface Latch {
  readonly stored: StoredLatch | null
  readonly record: LatchRecord
  readonly state: LatchState
}

const none: LatchRecord = {
  ...{ generation: 0, first: 1, opened: 0, previous: 0 },
  ...{ count: 0, keepMs: 0, setter: '' },
}

export const textOf = (record: LatchRecord): string => JSON.stringify(record)

/** @param counted - how many parties have counted down; of one that is open or was deleted it does not matter */
export function latchOf(stored: StoredLatch | null, counted: number): Latch {
  const record = stored ? recordOf(stored) : none
  const generation = record.generation ?? stored?.version ?? 0
  const first = record.first ?? generation
  const { opened, previous, count } = record
  const isClosed = generation >= first && opened !== generation
  const left = isClosed ? Math.max(0, count - counted) : 0
  return { stored, record, state: { generation, first, opened, left, previous } }
}

export const recordOf = ({ text }: StoredLatch): LatchRecord => JSON.parse(text) as LatchRecord
