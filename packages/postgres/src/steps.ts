import {
  HoldfastError,
  type AcquireReply,
  type AcquireRequest,
  type ClientInfo,
  type Inspection,
  type QueueEntry,
  type QueueEntryReply,
  type ReleaseReply,
  type ReleaseRequest,
  type Renewal,
  type RenewalReply,
} from '@holdfast/core/engine'
import type { Row } from './connection/statement.js'
import { shortfallOf, standbysSql, type Shortfall } from './standbys.js'

/** A call of a function, and what its rows mean. */
export interface Step<T> {
  readonly text: string
  readonly values: readonly unknown[]
  read(rows: readonly Row[]): T
}

/** Where a client can be notified: its channel, and the key that it holds while it listens; `null` while it does not. */
export interface Inbox {
  readonly channel: string
  readonly key: string | null
}

const strange = (what: string): HoldfastError =>
  new HoldfastError(`postgres: a reply that this version does not know: ${what}`)

const first = (rows: readonly Row[]): Row => {
  const [row] = rows
  if (!row) throw strange('no row')
  return row
}

const numberIn = (text: string | null | undefined): number => {
  const number = Number(text ?? NaN)
  if (!Number.isSafeInteger(number)) throw strange(String(text))
  return number
}

const numbersIn = (text: string | null | undefined, count: number): number[] => {
  const numbers = (text ?? '').split(' ').map(numberIn)
  if (numbers.length !== count) throw strange(`${numbers.length} numbers instead of ${count}`)
  return numbers
}

const releaseReply = (rows: readonly Row[]): ReleaseReply => ({
  kind: first(rows)[0] === 't' ? 'released' : 'not-held',
})

/** The steps as calls of the functions of one schema. */
export class Steps {
  readonly #schema: string

  /** @param schema - quoted */
  constructor(schema: string) {
    this.#schema = schema
  }

  acquire(id: string, request: AcquireRequest, inbox: Inbox, tokenFloor: number): Step<AcquireReply> {
    const { owner, count, leaseMs, entryTtlMs, grantLeaseMs } = request
    const values = [id, owner, count, leaseMs, entryTtlMs, grantLeaseMs, inbox.channel, inbox.key, tokenFloor]
    return {
      ...this.#call('acquire_1', values),
      read: (rows) => {
        const [kind, token, ttlMs, serverUs, holder, position] = first(rows)
        switch (kind) {
          case 'held':
            return { kind, token: numberIn(token) }
          case 'busy':
            return {
              kind,
              ttlMs: numberIn(ttlMs),
              serverUs: numberIn(serverUs),
              holder: holder ?? '',
              position: numberIn(position),
            }
          case 'lost':
          case 'abandoned':
            return { kind }
          default:
            throw strange(String(kind))
        }
      },
    }
  }

  release(id: string, request: ReleaseRequest, tokenFloor: number): Step<ReleaseReply> {
    const { owner, count, tombstoneMs } = request
    return { ...this.#call('release_1', [id, owner, count, tombstoneMs, tokenFloor]), read: releaseReply }
  }

  force(id: string, owner: string, channel: string, tokenFloor: number): Step<ReleaseReply> {
    return { ...this.#call('force_1', [id, owner, channel, tokenFloor]), read: releaseReply }
  }

  renew(renewals: readonly Renewal[]): Step<readonly RenewalReply[]> {
    const ids = renewals.map(({ address }) => address.id)
    const owners = renewals.map(({ owner }) => owner)
    const leases = renewals.map(({ leaseMs }) => leaseMs)
    return {
      ...this.#call('renew_1', [ids, owners, leases]),
      read: (rows) =>
        numbersIn(first(rows)[0], ids.length).map((state) => (state === 1 ? 'renewed' : 'not-held')),
    }
  }

  refresh(entries: readonly QueueEntry[], inbox: Inbox): Step<readonly QueueEntryReply[]> {
    const ids = entries.map(({ address }) => address.id)
    const owners = entries.map(({ owner }) => owner)
    const ttls = entries.map(({ entryTtlMs }) => entryTtlMs)
    return {
      ...this.#call('refresh_1', [ids, owners, ttls, inbox.channel, inbox.key]),
      read: (rows) => {
        const numbers = numbersIn(first(rows)[0], 2 * ids.length)
        return ids.map((_, i) => {
          const state = numbers[2 * i]
          const ttlMs = numbers[2 * i + 1] ?? 0
          return { state: state === 1 ? 'waiting' : state === 2 ? 'granted' : 'missing', ttlMs }
        })
      },
    }
  }

  inspect(id: string, limit: number): Step<Inspection> {
    return {
      ...this.#call('inspect_1', [id, limit]),
      read: (rows) => {
        const [owner, count, ttlMs, token, waiterCount, waiters] = first(rows)
        const listed: unknown = JSON.parse(waiters ?? '')
        if (!Array.isArray(listed)) throw strange(String(waiters))
        return {
          kind: 'lock',
          owner: owner ?? '',
          count: numberIn(count),
          ttlMs: numberIn(ttlMs),
          token: numberIn(token),
          waiterCount: numberIn(waiterCount),
          waiters: listed.map(readWaiter),
        }
      },
    }
  }

  register(clientId: string, { host, pid, label, startedAt }: ClientInfo, ttlMs: number): Step<void> {
    const startedAtUs = 1_000 * startedAt.getTime()
    return {
      ...this.#call('register_1', [clientId, host, pid, label, startedAtUs, ttlMs]),
      read: () => undefined,
    }
  }

  find(clientId: string): Step<ClientInfo | null> {
    return {
      ...this.#call('find_1', [clientId]),
      read: (rows) => {
        const [host, pid, label, startedAtUs] = first(rows)
        if (host === null || host === undefined) return null
        return {
          host,
          pid: numberIn(pid),
          label: label ?? '',
          startedAt: new Date(numberIn(startedAtUs) / 1_000),
        }
      },
    }
  }

  /** Deletes what no step needs any more, up to so many rows of each table. */
  sweep(limit: number): Step<void> {
    return { ...this.#call('sweep_1', [limit]), read: () => undefined }
  }

  /** Why steps may count before enough standbys have them, if so. */
  standbys(minReplicas: number): Step<Shortfall | undefined> {
    return { text: standbysSql, values: [], read: (rows) => shortfallOf(first(rows), minReplicas) }
  }

  /** What comes to the client itself when messages arrive. */
  send(channel: string, payload: string): Step<void> {
    return { text: 'select pg_notify($1, $2)', values: [channel, payload], read: () => undefined }
  }

  #call(name: string, values: readonly unknown[]): Omit<Step<never>, 'read'> {
    const places = values.map((_, i) => `$${i + 1}`)
    return { text: `select * from ${this.#schema}.${name}(${places.join(', ')})`, values }
  }
}

function readWaiter(given: unknown): { readonly owner: string; readonly aliveMs: number } {
  const pair: readonly unknown[] = Array.isArray(given) ? given : []
  const [owner, aliveMs] = pair
  if (typeof owner !== 'string' || typeof aliveMs !== 'number') throw strange(JSON.stringify(given))
  return { owner, aliveMs }
}
