import type { ConnectedClient } from '@holdfast/core'
import type { DashboardSource } from '../source.js'
import { Fleet, type Member } from './fleet.js'
import { Samples } from './samples.js'
import { SharedPoll, type StoreContact } from './shared-poll.js'

/** How many holds and waits all clients together are asked to list, and each of them at most. */
const listed = { inAll: 20_000, perClient: 200, least: 20 }

/**
 * A poll costs the store a few messages per client. With this pause per client it spends less than 5 % of a core on them.
 */
const pausePerClientMs = 2.5
/** With longer ones clients might begin their counts again between two polls. */
const longestPauseMs = 30_000

/** How often the list of clients is read: with each poll while it is short. */
const presencesEveryMs = 5_000
const fewClients = 50

/**
 * For so long charts are kept without a page, so that another page or a reload goes on with them. Clients begin their counts again if they
 * have not been asked for a minute.
 */
const keptMs = 50_000

type FleetSource = Pick<DashboardSource, 'clientId' | 'clients' | 'clientReports'>

/** Calls the roll of all clients for all pages that are open. */
export class FleetFeed {
  readonly #source: FleetSource
  readonly poll: SharedPoll<Fleet>
  readonly samples = new Samples()
  readonly #everyMs: number
  #presences: readonly ConnectedClient[] = []
  #presencesAt = -Infinity
  #members: ReadonlyMap<string, Member> = new Map()
  #idleSince: number | undefined

  constructor(source: FleetSource, everyMs: number, contact: StoreContact) {
    this.#source = source
    this.#everyMs = everyMs
    this.poll = new SharedPoll({
      contact,
      take: () => this.#take(),
      pauseMs: () => this.everyMs,
      idle: () => {
        this.#idleSince = performance.now()
      },
    })
  }

  /** The pause between two polls: longer with more clients. */
  get everyMs(): number {
    return Math.max(this.#everyMs, Math.min(longestPauseMs, this.#presences.length * pausePerClientMs))
  }

  async #take(): Promise<Fleet> {
    if (performance.now() - (this.#idleSince ?? Infinity) > keptMs) this.#forget()
    this.#idleSince = undefined
    await this.#findClients()
    const count = this.#presences.length
    const limit = Math.min(
      listed.perClient,
      Math.max(listed.least, Math.floor(listed.inAll / Math.max(1, count))),
    )
    const clientIds = this.#presences.map(({ clientId }) => clientId)
    const reports = count === 0 ? [] : await this.#source.clientReports({ limit, clientIds })
    const now = Date.now()
    const byId = new Map(reports.map((report) => [report.clientId, report]))
    this.#members = new Map(
      this.#presences.map((presence) => {
        const before = this.#members.get(presence.clientId)
        const report = byId.get(presence.clientId)
        const member: Member = report
          ? { presence, report, reportedAt: now, missed: 0 }
          : {
              presence,
              report: before?.report ?? null,
              reportedAt: before?.reportedAt ?? 0,
              missed: (before?.missed ?? 0) + 1,
            }
        return [presence.clientId, member]
      }),
    )
    const fleet = new Fleet(this.#members, this.#source.clientId, limit)
    this.samples.add(fleet, now)
    return fleet
  }

  async #findClients(): Promise<void> {
    const now = performance.now()
    if (this.#presences.length > fewClients && now - this.#presencesAt < presencesEveryMs) return
    this.#presences = await this.#source.clients()
    this.#presencesAt = now
  }

  #forget(): void {
    this.#presences = []
    this.#presencesAt = -Infinity
    this.#members = new Map()
    this.samples.clear()
  }
}
