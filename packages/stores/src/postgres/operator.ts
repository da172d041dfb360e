import type {
  Address,
  ConnectedClient,
  ListFilter,
  ListPage,
  ObjectType,
  OperatorSession,
} from '@holdfast/core/engine'
import { addressOfId, objectOfId } from './address.js'
import { channelOf } from './channel.js'
import { objectTables, type ObjectTable, type OperatorSteps } from './operator-steps.js'
import { strange } from './replies.js'
import type { Step } from './step.js'

/** What operators need of the session of a client. */
export interface PostgresOperatorDeps {
  readonly steps: OperatorSteps
  run<T>(step: Step<T>): Promise<T>
}

const rowsPerStep = 500
/** PostgreSQL looks at this many in a millisecond, about. */
const rowsPerMs = 500

/** How far a listing is; its text is the cursor. */
interface Progress {
  readonly total: number
  readonly table: ObjectTable
  /** The last name of the table that was looked at. */
  readonly after: string
}

/** What operators may ask of a PostgreSQL database. A listing goes through each table by name, so an interruption costs it nothing. */
export class PostgresOperator implements OperatorSession {
  readonly #deps: PostgresOperatorDeps

  constructor(deps: PostgresOperatorDeps) {
    this.#deps = deps
  }

  async list(cursor: string | null, { contended }: ListFilter): Promise<ListPage> {
    const { steps } = this.#deps
    const now = cursor === null ? await this.#begin() : read(cursor)
    const { ids, scanned, last } = await this.#deps.run(
      steps.list(now.table, now.after, rowsPerStep, contended),
    )
    return {
      found: ids.map(foundAt),
      scanned,
      total: now.total,
      costMs: scanned / rowsPerMs,
      next: scanned < rowsPerStep ? nextTable(now) : write({ ...now, after: last }),
    }
  }

  /** Those that listen for notifications and whose registration has not expired. */
  async clients(): Promise<readonly ConnectedClient[]> {
    const registered = await this.#deps.run(this.#deps.steps.clients())
    const channels = registered.map(({ clientId }) => channelOf(clientId))
    const listening = await this.#deps.run(this.#deps.steps.listening(channels))
    return registered.filter((_, i) => listening[i])
  }

  /** Notifications arrive in the order in which their transactions commit, whatever they are about. */
  send(clientIds: readonly string[], text: string): Promise<readonly boolean[]> {
    return this.#deps.run(this.#deps.steps.tell(clientIds.map(channelOf), text))
  }

  async #begin(): Promise<Progress> {
    return { total: await this.#deps.run(this.#deps.steps.size()), table: 'lock', after: '' }
  }
}

const foundAt = (id: string): { readonly address: Address; readonly object: ObjectType } => ({
  address: addressOfId(id),
  object: objectOfId(id),
})

const write = ({ total, table, after }: Progress): string => `${total} ${table} ${after}`

function nextTable({ total, table }: Progress): string | null {
  const next = objectTables[objectTables.indexOf(table) + 1]
  return next === undefined ? null : write({ total, table: next, after: '' })
}

function read(cursor: string): Progress {
  const [, total, name, after = ''] = /^(\d+) (\w+) (.*)$/s.exec(cursor) ?? []
  const table = objectTables.find((each) => each === name)
  if (table === undefined) throw strange(`a listing at ${cursor}`)
  return { total: Number(total), table, after }
}
