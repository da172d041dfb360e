import type {
  AcquireReply,
  AcquireRequest,
  ClientInfo,
  Inspection,
  QueueEntry,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  Renewal,
  RenewalReply,
  ResizeReply,
  ResizeRequest,
  SharedInspection,
} from '@holdfast/core/engine'
import type { PostgresAddress } from './address.js'
import type { Row } from './connection/statement.js'
import { callOf, type Call, type Step } from './step.js'
import { first, numberIn, numbersIn, obstaclesIn, ownersIn, strange } from './replies.js'
import { shortfallOf, standbysSql, type Shortfall } from './standbys.js'

/** Where a client can be notified: its channel, and the key that it holds while it listens; `null` while it does not. */
export interface Inbox {
  readonly channel: string
  readonly key: string | null
}

/** A hold to renew, and a queue entry to keep alive; all of a step are of one kind. */
export interface PostgresRenewal extends Renewal {
  readonly address: PostgresAddress
}
export interface PostgresQueueEntry extends QueueEntry {
  readonly address: PostgresAddress
}

type Kind = PostgresAddress['kind']

/** The name of a function that locks and shared objects both have. */
const nameOf = (
  step: 'acquire' | 'release' | 'force' | 'renew' | 'refresh' | 'inspect',
  kind: Kind,
): string => (kind === 'shared' ? `${step}_shared` : step)

const kindOf = ([first]: readonly { readonly address: PostgresAddress }[]): Kind =>
  first?.address.kind ?? 'lock'

/** By what `renew` returns. */
const renewalReplies: readonly RenewalReply[] = ['not-held', 'renewed', 'no-reply']

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

  acquire(
    { id, kind: of }: PostgresAddress,
    request: AcquireRequest,
    inbox: Inbox,
    tokenFloor: number,
  ): Step<AcquireReply> {
    const { owner, count, size = count, leaseMs, entryTtlMs, grantLeaseMs, proof, heir } = request
    if (heir !== undefined)
      return { ...this.#call('take_over', [id, owner, heir, leaseMs, tokenFloor]), read: acquireReply }
    const wanted = of === 'shared' ? [count, size] : [count]
    const waiting = [entryTtlMs, grantLeaseMs, inbox.channel, inbox.key]
    return {
      ...this.#call(nameOf('acquire', of), [id, owner, ...wanted, leaseMs, ...waiting, tokenFloor, proof]),
      read: acquireReply,
    }
  }

  release({ id, kind }: PostgresAddress, request: ReleaseRequest, tokenFloor: number): Step<ReleaseReply> {
    const { owner, count, tombstoneMs, keepMs, heir } = request
    const values: unknown[] = [id, owner, count, tombstoneMs, tokenFloor]
    if (keepMs !== undefined) values.push(keepMs)
    if (heir !== undefined) values.push(heir)
    return { ...this.#call(nameOf('release', kind), values), read: releaseReply }
  }

  force(
    { id, kind }: PostgresAddress,
    owner: string,
    channel: string,
    tokenFloor: number,
  ): Step<ReleaseReply> {
    return { ...this.#call(nameOf('force', kind), [id, owner, channel, tokenFloor]), read: releaseReply }
  }

  resize({ id }: PostgresAddress, request: ResizeRequest, tokenFloor: number): Step<ResizeReply> {
    const { size: newSize, keepMs, version: seen, id: callId } = request
    return {
      ...this.#call('resize', [id, newSize, keepMs, seen, callId, tokenFloor]),
      read: (rows) => {
        const [kind, version, size] = first(rows)
        if (kind !== 'resized' && kind !== 'superseded') throw strange(String(kind))
        return { kind, version: numberIn(version), size: numberIn(size) }
      },
    }
  }

  /** @param waitMs - how long to wait for rows that something else has locked */
  renew(renewals: readonly PostgresRenewal[], waitMs: number): Step<readonly RenewalReply[]> {
    const ids = renewals.map(({ address }) => address.id)
    const owners = renewals.map(({ owner }) => owner)
    const leases = renewals.map(({ leaseMs }) => leaseMs)
    return {
      ...this.#call(nameOf('renew', kindOf(renewals)), [ids, owners, leases, waitMs]),
      read: (rows) =>
        numbersIn(first(rows)[0], ids.length).map((state) => renewalReplies[state] ?? 'no-reply'),
    }
  }

  refresh(entries: readonly PostgresQueueEntry[], inbox: Inbox): Step<readonly QueueEntryReply[]> {
    const ids = entries.map(({ address }) => address.id)
    const owners = entries.map(({ owner }) => owner)
    const ttls = entries.map(({ entryTtlMs }) => entryTtlMs)
    return {
      ...this.#call(nameOf('refresh', kindOf(entries)), [ids, owners, ttls, inbox.channel, inbox.key]),
      read: (rows) => {
        const [states, obstacles] = first(rows)
        const numbers = numbersIn(states, 2 * ids.length)
        const inTheWay = obstaclesIn(obstacles)
        return ids.map((_, i) => {
          const state = numbers[2 * i]
          const ttlMs = numbers[2 * i + 1] ?? 0
          return {
            state: state === 1 ? 'waiting' : state === 2 ? 'granted' : 'missing',
            ttlMs,
            ...inTheWay[i],
          }
        })
      },
    }
  }

  inspect({ id, kind }: PostgresAddress, limit: number): Step<Inspection | SharedInspection> {
    return {
      ...this.#call(nameOf('inspect', kind), [id, limit]),
      read: kind === 'shared' ? sharedInspection : lockInspection,
    }
  }

  register(clientId: string, { host, pid, label, startedAt }: ClientInfo, ttlMs: number): Step<void> {
    const startedAtUs = 1_000 * startedAt.getTime()
    return {
      ...this.#call('register', [clientId, host, pid, label, startedAtUs, ttlMs]),
      read: () => undefined,
    }
  }

  find(clientId: string): Step<ClientInfo | null> {
    return {
      ...this.#call('find', [clientId]),
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

  /** Deletes what no step needs any more, up to so many rows of each table. How many at most; -1 if another sweep runs. */
  sweep(limit: number): Step<number> {
    return { ...this.#call('sweep', [limit]), read: (rows) => numberIn(first(rows)[0]) }
  }

  raiseToken({ id }: PostgresAddress, token: number, keepMs: number): Step<void> {
    return { ...this.#call('raise_token', [id, token, keepMs]), read: () => undefined }
  }

  uptimeMs(): Step<number> {
    return { ...this.#call('uptime', []), read: (rows) => numberIn(first(rows)[0]) }
  }

  /** Why steps may count before enough standbys have them, if so. */
  standbys(minReplicas: number): Step<Shortfall | undefined> {
    return { text: standbysSql, values: [], read: (rows) => shortfallOf(first(rows), minReplicas) }
  }

  /** What comes to the client itself when messages arrive. */
  send(channel: string, payload: string): Step<void> {
    return { text: 'select pg_notify($1, $2)', values: [channel, payload], read: () => undefined }
  }

  #call(name: string, values: readonly unknown[]): Call {
    return callOf(this.#schema, name, values)
  }
}

function acquireReply(rows: readonly Row[]): AcquireReply {
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
}

function lockInspection(rows: readonly Row[]): Inspection {
  const [owner, count, ttlMs, token, waiterCount, waiters] = first(rows)
  return {
    kind: 'lock',
    owner: owner ?? '',
    count: numberIn(count),
    ttlMs: numberIn(ttlMs),
    token: numberIn(token),
    waiterCount: numberIn(waiterCount),
    waiters: ownersIn(waiters, 1).map(({ owner: waiter, numbers: [aliveMs = 0] }) => ({
      owner: waiter,
      aliveMs,
    })),
  }
}

function sharedInspection(rows: readonly Row[]): SharedInspection {
  const [size, version, used, holderCount, token, waiterCount, holders, waiters] = first(rows)
  return {
    kind: 'shared',
    size: numberIn(size),
    version: numberIn(version),
    used: numberIn(used),
    holderCount: numberIn(holderCount),
    holders: ownersIn(holders, 2).map(({ owner, numbers: [permits = 0, ttlMs = 0] }) => ({
      owner,
      permits,
      ttlMs,
    })),
    token: numberIn(token),
    waiterCount: numberIn(waiterCount),
    waiters: ownersIn(waiters, 2).map(({ owner, numbers: [permits = 0, aliveMs = 0] }) => ({
      owner,
      permits,
      aliveMs,
    })),
  }
}
