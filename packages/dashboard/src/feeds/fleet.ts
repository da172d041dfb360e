import type { ClientReport, ConnectedClient } from '@holdfast/core'
import type {
  ClientRow,
  ContendedRow,
  HoldRow,
  Loss,
  Owner,
  Permits,
  Totals,
  WaitRow,
} from '../shared/payloads.js'
import { clientOf } from '@holdfast/core/engine'
import { runsOf, type RememberedLoss } from './loss-runs.js'
import { permitsIn } from './permits.js'
import { objectOf, ownerWith, processOf } from './process-of.js'

/** A client that is connected, and what it reported last. */
export interface Member {
  readonly presence: ConnectedClient
  readonly report: ClientReport | null
  /** When that report came, milliseconds since 1970. */
  readonly reportedAt: number
  /** How many polls in a row it has left without a report. */
  readonly missed: number
}

/** After so many polls without a report a client is shown as silent. */
const missedUntilSilent = 3

const isSilent = ({ missed }: Member): boolean => missed >= missedUntilSilent

/** All clients at one moment, and what follows from their reports. */
export class Fleet {
  readonly members: ReadonlyMap<string, Member>
  readonly #ownId: string
  readonly #limit: number
  #contended: readonly ContendedRow[] | undefined
  #permits: ReadonlyMap<string, Permits> | undefined

  /**
   * @param ownId - of the client that the dashboard uses
   * @param limit - how many holds and waits each client was asked to list
   */
  constructor(members: ReadonlyMap<string, Member>, ownId: string, limit: number) {
    this.members = members
    this.#ownId = ownId
    this.#limit = limit
  }

  get reports(): ClientReport[] {
    return [...this.members.values()].flatMap(({ report }) => (report ? [report] : []))
  }

  totals(): Totals {
    const members = [...this.members.values()]
    const { reports } = this
    // Without any report there is nothing to count: 0 would say that nothing is held.
    const sum = (count: (report: ClientReport) => number): number | null =>
      reports.length === 0 && members.length > 0
        ? null
        : reports.reduce((total, report) => total + count(report), 0)
    return {
      clients: members.length,
      silent: members.filter(isSilent).length,
      unreported: members.length - reports.length,
      held: sum(({ holdCount }) => holdCount),
      waiting: sum(({ waiterCount }) => waiterCount),
      lost: sum(({ counts }) => counts.lost),
    }
  }

  /** Whether some client holds or waits for more than it was asked to list. */
  isPartial(): boolean {
    return this.reports.some(
      ({ holdCount, waiterCount }) => holdCount > this.#limit || waiterCount > this.#limit,
    )
  }

  /** The objects that have waiters; those with the most first. */
  contended(): readonly ContendedRow[] {
    return (this.#contended ??= this.#countWaiters())
  }

  #countWaiters(): readonly ContendedRow[] {
    const rows = new Map<string, ContendedRow>()
    const held = this.#longestHolds()
    const readers = this.#readers()
    for (const { queue } of this.reports) {
      for (const wait of queue) {
        const object = objectOf(wait.kind)
        const row = rows.get(`${object} ${wait.name}`)
        // A client knows what it holds. What a waiter remembers is from its last reply, and may be over.
        const hold = held.get(`${object} ${wait.name}`)
        rows.set(`${object} ${wait.name}`, {
          name: wait.name,
          object,
          waiterCount: (row?.waiterCount ?? 0) + 1,
          longestWaitMs: Math.max(row?.longestWaitMs ?? 0, wait.waitedMs),
          holder: row?.holder ?? hold?.holder ?? this.ownerOf(wait.holder),
          // When a lock is handed on two clients may report a hold of it: only of read locks are they two holders.
          otherReaders: hold?.kind === 'read-lock' ? (readers.get(wait.name)?.size ?? 1) - 1 : 0,
          heldMs: row?.heldMs ?? hold?.heldMs ?? null,
          semaphore: this.#permitsOf(wait),
        })
      }
    }
    return [...rows.values()].sort(
      (a, b) => b.waiterCount - a.waiterCount || b.longestWaitMs - a.longestWaitMs,
    )
  }

  /** The owner with the process it belongs to; `null` without an owner. */
  ownerOf(owner: string): Owner | null {
    return owner === '' ? null : ownerWith(owner, this.members.get(clientOf(owner))?.presence.client)
  }

  /** The longest hold of each object that a client reported. */
  #longestHolds(): Map<string, HoldRow> {
    const longest = new Map<string, HoldRow>()
    for (const report of this.reports) {
      for (const hold of report.holds) {
        const key = `${objectOf(hold.kind)} ${hold.name}`
        if ((longest.get(key)?.heldMs ?? -1) < hold.heldMs) longest.set(key, this.#holdRow(report, hold))
      }
    }
    return longest
  }

  /** The owners that read, of each name. */
  #readers(): Map<string, Set<string>> {
    const readers = new Map<string, Set<string>>()
    for (const { kind, name, owner } of this.reports.flatMap(({ holds }) => holds))
      if (kind === 'read-lock') readers.set(name, (readers.get(name) ?? new Set()).add(owner))
    return readers
  }

  /** Of a semaphore, as its holders and waiters report it. */
  #permitsOf({ name, kind }: Pick<HoldRow, 'name' | 'kind'>): Permits | null {
    if (kind !== 'semaphore') return null
    this.#permits ??= permitsIn(this.reports)
    return this.#permits.get(name) ?? null
  }

  longestHeld(count: number): HoldRow[] {
    // Each client lists its oldest holds first, so no other can be among the oldest of all.
    return this.reports
      .flatMap((report) => report.holds.slice(0, count).map((hold) => this.#holdRow(report, hold)))
      .sort((a, b) => b.heldMs - a.heldMs)
      .slice(0, count)
  }

  losses(count: number): Loss[] {
    return runsOf([...this.members.values()].flatMap(lossesOf)).slice(0, count)
  }

  clients(): ClientRow[] {
    return [...this.members.values()].map((member) => this.#clientRow(member))
  }

  client(clientId: string): {
    client: ClientRow | null
    holds: HoldRow[]
    queue: WaitRow[]
    losses: Loss[]
  } {
    const member = this.members.get(clientId)
    if (!member) return { client: null, holds: [], queue: [], losses: [] }
    const { report } = member
    return {
      client: this.#clientRow(member),
      holds: report ? report.holds.map((hold) => this.#holdRow(report, hold)) : [],
      queue: report ? report.queue.map(waitRow) : [],
      losses: runsOf(lossesOf(member)),
    }
  }

  #holdRow(report: ClientReport, hold: ClientReport['holds'][number]): HoldRow {
    return {
      name: hold.name,
      object: objectOf(hold.kind),
      kind: hold.kind,
      holder: ownerWith(hold.owner, report.client),
      permits: hold.permits,
      semaphore: this.#permitsOf(hold),
      heldMs: hold.heldMs,
      remainingMs: hold.remainingMs,
    }
  }

  #clientRow(member: Member): ClientRow {
    const { presence, report } = member
    return {
      ...processOf(presence.clientId, presence.client),
      startedAt: presence.client.startedAt.getTime(),
      held: report?.holdCount ?? null,
      waiting: report?.waiterCount ?? null,
      acquired: report?.counts.acquired ?? null,
      lost: report?.counts.lost ?? null,
      isSilent: isSilent(member),
      isThisOne: presence.clientId === this.#ownId,
    }
  }
}

const waitRow = ({
  name,
  kind,
  owner,
  permits,
  waitedMs,
  position,
  holder,
}: ClientReport['queue'][number]): WaitRow => ({
  name,
  object: objectOf(kind),
  kind,
  owner,
  permits,
  waitedMs,
  position,
  holder,
})

function lossesOf({ report, reportedAt }: Member): RememberedLoss[] {
  if (!report) return []
  const { losses, counts } = report
  return losses.map(({ name, kind, owner, reason, agoMs }, i) => ({
    name,
    object: objectOf(kind),
    kind,
    owner,
    process: processOf(report.clientId, report.client),
    reason,
    at: reportedAt - agoMs,
    isOldestKept: i === losses.length - 1 && counts.lost > losses.length,
  }))
}
