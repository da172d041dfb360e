import { hostname } from 'node:os'
import { nanoid } from 'nanoid'
import { Channels } from '../channels/channels.js'
import { QuorumAcquirer } from '../composing/quorum/acquirer.js'
import { QuorumAcquisitions } from '../composing/quorum/acquisitions.js'
import { Contention } from '../composing/quorum/contention.js'
import type { QuorumHold } from '../composing/quorum/hold.js'
import { Lookup } from '../composing/quorum/lookup.js'
import type { Master } from '../composing/quorum/master.js'
import { Repair } from '../composing/quorum/repair.js'
import type { LockEngine } from '../engine/session.js'
import { Closing } from '../errors/closing.js'
import { StoreSilence } from '../errors/store-silence.js'
import { Events } from '../events/events.js'
import { HoldEvents } from '../holding/hold-reports.js'
import { HoldTable } from '../holding/hold-table.js'
import { Entrance } from '../objects/entrance.js'
import { LockLeases } from '../objects/lease.js'
import type { Lease } from '../objects/lease.js'
import type { LockDeps } from '../objects/lock.js'
import type { QuorumSettings } from '../options/quorum-options.js'
import { Frames } from '../ownership/frames.js'
import { Owners } from '../ownership/owners.js'
import type { Possession } from '../ownership/possession.js'
import { QuorumMember } from './quorum-member.js'
import { Background } from '../util/background.js'
import { warnOfSelfDeadlock, WaitEvents } from '../waiting/wait-reports.js'

/** The working parts behind one `HoldfastQuorum`, put together. */
export class QuorumClient {
  readonly id = nanoid()
  /** Names the store in messages. */
  readonly storeName: string
  readonly frames = new Frames<Possession<Lease>>()
  readonly events: Events
  readonly background: Background
  readonly holds: HoldTable<QuorumHold<Lease>>
  readonly acquisitions = new QuorumAcquisitions()
  readonly lockDeps: LockDeps
  /** Set if no lease can have one. */
  readonly whyNoTokens: string | undefined
  readonly #members: QuorumMember[] = []
  readonly #settings: QuorumSettings
  readonly #repair: Repair
  readonly #closing = new Closing()

  constructor(settings: QuorumSettings, engines: readonly LockEngine[]) {
    this.#settings = settings
    const identity = { clientId: this.id, engine: settings.engine }
    const channels = new Channels(identity)
    const { id: clientId, frames, acquisitions } = this
    const closing = this.#closing
    const events = new Events((fn) => frames.outside(fn), channels.mirrors)
    this.events = events
    const background = new Background((error) => events.emitError(error))
    this.background = background
    const holds = new HoldTable<QuorumHold<Lease>>(channels)
    this.holds = holds
    const { label, engine, watchdogTimeoutMs } = settings
    const client = { host: hostname(), pid: process.pid, label, startedAt: new Date() }
    const ofMembers = { clientId, client, settings, events, background, closing, acquisitions }
    for (const one of engines) this.#members.push(new QuorumMember(ofMembers, one, this.#members))
    const { masters } = this
    this.#repair = new Repair({
      everyMs: settings.renewEveryMs,
      holds,
      onRound: () => warnOfSelfDeadlock(events, acquisitions.all, holds),
    })
    this.whyNoTokens = masters.every(({ steps }) => steps.raiseToken !== undefined)
      ? undefined
      : 'not all masters of this quorum can keep a fencing token'
    const tokenAdvice = (): string => this.whyNoTokens ?? 'with a quorum, use getFencedLock'
    const leaseMaker = new LockLeases({ frames, events, settings, tokenAdvice })
    const storeName = `a majority of ${masters.length} masters`
    this.storeName = storeName
    const acquirer = new QuorumAcquirer<Lease>(
      {
        masters,
        settings: { ...settings, clientId, storeName },
        events,
        reports: new WaitEvents(events),
        channels,
        contention: new Contention(watchdogTimeoutMs),
        acquisitions,
        background,
        holding: { settings, reports: new HoldEvents(events), holds, channels, leaseMaker },
        repair: this.#repair,
      },
      new Owners(clientId),
    )
    const entrance = new Entrance({
      settings: { ...settings, storeName },
      frames,
      background,
      // Each master has its own, and an acquisition knows them.
      silence: new StoreSilence({ doubt: undefined }),
      closing,
      acquirer,
    })
    const lookup = new Lookup(closing, masters, engine)
    const ofLookup = { steps: lookup, registry: lookup, operations: lookup, readiness: lookup }
    this.lockDeps = { ...ofLookup, settings, frames, events, holds, entrance }
  }

  /** How many acquisitions wait for a held lock now. */
  get waiting(): number {
    return this.acquisitions.waiting
  }

  get masters(): Master[] {
    return this.#members.map(({ master }) => master)
  }

  async close(drainMs: number): Promise<void> {
    const { holds, acquisitions, background, events } = this
    this.#closing.begin()
    acquisitions.close()
    await holds.drained(drainMs)
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    await holds.drained(this.#settings.memberTimeoutMs)
    this.#repair.end()
    await Promise.all(this.#members.map((member) => member.close()))
    await background.end()
    events.close()
  }
}
