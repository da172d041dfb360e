import type {
  CountDownRequest,
  LatchDeleteRequest,
  LatchInspection,
  LatchReply,
  LatchSetRequest,
  LatchState,
  LatchWait,
  LatchWaitReply,
} from '@holdfast/core/engine'
import type { Row } from './connection/statement.js'
import { first, numberIn, numbersIn, strange, textsIn } from './replies.js'
import { callOf, type Step } from './step.js'

/** The steps of latches as calls of the functions of one schema. */
export class LatchSteps {
  readonly #schema: string

  /** @param schema - quoted */
  constructor(schema: string) {
    this.#schema = schema
  }

  set(id: string, { named, setter, count, keepMs }: LatchSetRequest): Step<LatchReply> {
    return { ...callOf(this.#schema, 'latch_set', [id, named, setter, count, keepMs]), read: readReply }
  }

  countDown(id: string, { named, party }: CountDownRequest): Step<LatchReply> {
    return { ...callOf(this.#schema, 'latch_count_down', [id, named, party]), read: readReply }
  }

  delete(id: string, { named, tombstoneMs }: LatchDeleteRequest): Step<LatchReply> {
    return { ...callOf(this.#schema, 'latch_delete', [id, named, tombstoneMs]), read: readReply }
  }

  wait(waits: readonly LatchWait[], clientId: string, channel: string): Step<readonly LatchWaitReply[]> {
    const ids = waits.map(({ address }) => address.id)
    const generations = waits.map(({ awaited }) => awaited?.generation ?? 0)
    const bound = waits.map(({ awaited }) => awaited?.isBound ?? false)
    const alive = waits.map(({ aliveMs }) => aliveMs)
    return {
      ...callOf(this.#schema, 'latch_wait', [ids, generations, bound, alive, clientId, channel]),
      read: (rows) => {
        const numbers = numbersIn(first(rows)[0], 2 * ids.length)
        return ids.map((_, i) => readWait(numbers[2 * i], numbers[2 * i + 1] ?? 0))
      },
    }
  }

  inspect(id: string, limit: number): Step<LatchInspection> {
    return {
      ...callOf(this.#schema, 'latch_inspect', [id, limit]),
      read: (rows) => {
        const [state, count, ttlMs, parties, waiterCount, waiters] = first(rows)
        return {
          kind: 'latch',
          state: stateIn(state),
          count: numberIn(count),
          ttlMs: numberIn(ttlMs),
          parties: textsIn(parties),
          waiterCount: numberIn(waiterCount),
          waiters: textsIn(waiters),
        }
      },
    }
  }
}

function readReply(rows: readonly Row[]): LatchReply {
  const [kind, state] = first(rows)
  if (kind !== 'done' && kind !== 'other') throw strange(String(kind))
  return { kind, state: stateIn(state) }
}

function stateIn(text: string | null | undefined): LatchState {
  const [generation = 0, oldest = 0, opened = 0, left = 0, previous = 0] = numbersIn(text, 5)
  return { generation, first: oldest, opened, left, previous }
}

function readWait(code: number | undefined, generation: number): LatchWaitReply {
  switch (code) {
    case 1:
      return { kind: 'passed', generation }
    case 2:
    case 0:
      return { kind: 'closed', awaited: { generation, isBound: code === 2 } }
    case -1:
      return { kind: 'gone' }
    default:
      throw strange(String(code))
  }
}
