import { hostname } from 'node:os'
import { nanoid } from 'nanoid'
import { Channels } from '../channels/channels.js'
import type { ClientInfo } from '../engine/replies.js'
import type { LockEngine } from '../engine/session.js'
import { Closing } from '../ownership/closing.js'
import type { Surroundings } from '../ownership/closing.js'
import { StoreSilence } from '../errors/store-silence.js'
import { Events } from '../events/events.js'
import { HoldEvents } from '../holding/hold-reports.js'
import { HoldTable } from '../holding/hold-table.js'
import { Entrance } from '../objects/entrance.js'
import { LockLeases } from '../objects/lease.js'
import type { Lease } from '../objects/lease.js'
import type { LockDeps } from '../objects/lock.js'
import { Operations } from '../operating/operations.js'
import type { OperationsDeps } from '../operating/operations.js'
import { Frames } from '../ownership/frames.js'
import { Owners } from '../ownership/owners.js'
import type { Possession } from '../ownership/possession.js'
import { Background } from '../util/background.js'
import { withTimeout } from '../util/timeouts.js'
import { WaitEvents, warnOfSelfDeadlock } from '../waiting/outcome.js'
import { StoreClient } from '../wiring/store-client.js'
import { Contention, QuorumAcquirer, QuorumAcquisitions } from './acquisition.js'
import { Health } from './health.js'
import { Repair } from './hold.js'
import type { QuorumHold } from './hold.js'
import { Lookup } from './lookup.js'
import { Master } from './master.js'
import type { QuorumSettings } from './options.js'

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
  readonly closing = new Closing(this.frames)

  constructor(settings: QuorumSettings, engines: readonly LockEngine[]) {
    this.#settings = settings
    const identity = { clientId: this.id, engine: settings.engine }
    const channels = new Channels(identity)
    const { id: clientId, frames, acquisitions } = this
    const closing = this.closing
    const events = new Events((fn) => frames.outside(fn), channels.mirrors)
    this.events = events
    const background = new Background((error) => events.emitError(error))
    this.background = background
    const holds = new HoldTable<QuorumHold<Lease>>(channels)
    this.holds = holds
    const { label, engine, watchdogTimeoutMs } = settings
    const client = { host: hostname(), pid: process.pid, label, startedAt: new Date() }
    const ofMembers = { clientId, client, settings, events, background, closing, frames, acquisitions }
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
        frames,
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
    await this.closing.drain({ holds, waits: acquisitions }, drainMs)
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    await holds.drained(this.#settings.memberTimeoutMs)
    this.#repair.end()
    await Promise.all(this.#members.map((member) => member.close()))
    await background.end()
    events.close()
  }
}

/** What one member needs of its quorum client. */
export interface QuorumMemberDeps {
  readonly clientId: string
  readonly client: ClientInfo
  readonly settings: QuorumSettings
  readonly events: Events
  readonly background: Background
  readonly closing: Closing
  readonly frames: Surroundings
  readonly acquisitions: QuorumAcquisitions
}

/** The working parts that a quorum client has for one of its masters, put together. */
export class QuorumMember {
  readonly master: Master
  readonly #deps: QuorumMemberDeps
  readonly #store: StoreClient
  readonly #health: Health

  /** @param members - all of them, this one and later ones once they are made */
  constructor(deps: QuorumMemberDeps, engine: LockEngine, members: readonly QuorumMember[]) {
    this.#deps = deps
    const { clientId, events, background, acquisitions } = deps
    const settings = { ...deps.settings, maxWaiters: Infinity }
    const suspect = (): void => this.#health.suspect()
    const observer = {
      reached: () => undefined,
      unsubscribed: suspect,
      reconnected: suspect,
      // That the master is down is reported once, when that is found out.
      error: () => undefined,
    }
    // Votes are no holds of the application.
    const channels = new Channels({ clientId, engine: engine.name })
    const openOperations = (of: OperationsDeps): Operations => new Operations(of)
    const ofMember = { settings, channels, holdObserver: undefined, openOperations, carried: [], observer }
    const store = new StoreClient({ ...deps, ...ofMember }, engine)
    this.#store = store
    const { session, holds, waiters, watchdog, abandonment, evictions, proofs, silence } = store
    const { store: facts, names, steps, inbox, registry } = session
    const name = facts.name ?? `master ${members.length + 1} (${engine.name})`
    const { memberTimeoutMs, restartQuarantineMs } = settings
    const health = new Health({
      store: facts,
      settings: { name, engine: engine.name, memberTimeoutMs, restartQuarantineMs },
      readiness: store.readiness,
      twinOf: (incarnation) =>
        members.find((other) => other !== this && other.#health.incarnation === incarnation)?.master.name,
      onDown: (error) => {
        events.emitError(error)
        acquisitions.wentDown(this.master, error)
      },
      onUp: () => {
        events.reached()
        acquisitions.cameUp()
      },
    })
    this.#health = health
    const { polls, queuesUnnotified, operations, looks } = store
    this.master = new Master({
      name,
      names,
      steps,
      registry,
      sharing: engine.sharing,
      health,
      acquisition: {
        store: facts,
        steps,
        inbox,
        channels,
        frames: deps.frames,
        confirmer: undefined,
        settings: { ...settings, clientId, storeName: name, polls, queuesUnnotified },
        waiters,
        abandonment,
        proofs,
        looks,
        silence,
        readiness: health,
      },
      holding: {
        store: facts,
        steps,
        settings,
        holds,
        watchdog,
        background,
        abandonment,
        evictions,
        channels: undefined,
      },
      announce: async (address, owner, by) => operations?.announce(address, owner, by),
    })
  }

  /** Ends every wait, and lets go of every vote that is left. */
  async close(): Promise<void> {
    const { memberTimeoutMs } = this.#deps.settings
    const { holds, waiters } = this.#store
    waiters.close('all')
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    await Promise.all([
      withTimeout(this.#deps.background.settled(), memberTimeoutMs),
      holds.drained(memberTimeoutMs),
    ])
    this.#health.close()
    await this.#store.close()
  }
}
