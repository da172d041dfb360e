import type { ConnectedClient } from '@holdfast/core/engine'
import { first, numberIn, numbersInList, textsIn } from './replies.js'
import { callOf, type Step } from './step.js'

/** The tables that have a row for each object. */
export const objectTables = ['lock', 'shared', 'latch'] as const
export type ObjectTable = (typeof objectTables)[number]

/** A stretch of a table. */
export interface Stretch {
  /** The ids of objects in it that are to be listed. */
  readonly ids: readonly string[]
  readonly scanned: number
  /** The last name in it; '' if it is empty. */
  readonly last: string
}

/** The steps of operators as calls of the functions of one schema. */
export class OperatorSteps {
  readonly #schema: string

  /** @param schema - quoted */
  constructor(schema: string) {
    this.#schema = schema
  }

  /** About how many objects there are. */
  size(): Step<number> {
    return { ...callOf(this.#schema, 'size', []), read: (rows) => numberIn(first(rows)[0]) }
  }

  list(table: ObjectTable, after: string, limit: number, contended: boolean): Step<Stretch> {
    return {
      ...callOf(this.#schema, 'list', [table, after, limit, contended]),
      read: (rows) => {
        const [ids, scanned, last] = first(rows)
        return { ids: textsIn(ids), scanned: numberIn(scanned), last: last ?? '' }
      },
    }
  }

  clients(): Step<readonly ConnectedClient[]> {
    return {
      ...callOf(this.#schema, 'clients', []),
      read: (rows) =>
        rows.map(([id, host, pid, label, startedAtUs]) => ({
          clientId: id ?? '',
          client: {
            host: host ?? '',
            pid: numberIn(pid),
            label: label ?? '',
            startedAt: new Date(numberIn(startedAtUs) / 1_000),
          },
        })),
    }
  }

  /** Whether a client listens, for each channel. */
  listening(channels: readonly string[]): Step<readonly boolean[]> {
    return { ...callOf(this.#schema, 'listening', [channels]), read: readPlaces(channels.length) }
  }

  /** For each channel, whether a client listens there and so gets the text. */
  tell(channels: readonly string[], text: string): Step<readonly boolean[]> {
    return { ...callOf(this.#schema, 'tell', [channels, text]), read: readPlaces(channels.length) }
  }
}

const readPlaces =
  (count: number): Step<readonly boolean[]>['read'] =>
  (rows) => {
    const places = new Set(numbersInList(first(rows)[0]))
    return Array.from({ length: count }, (_, i) => places.has(i + 1))
  }
