import { Channels } from '../channels/channels.js'
import type { Addressing, Target } from '../engine/requests.js'
import type { LockEngine } from '../engine/session.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { StoreSilence } from '../waiting/readiness.js'
import type { Events } from '../events/events.js'
import { EventObserver, warnOfSelfDeadlock } from '../events/observer.js'
import { HoldTable } from '../ownership/owners.js'
import type { AnyAcquired, Home } from '../objects/home.js'
import { Operations } from '../operating/operations.js'
import type { Request } from '../options/options.js'
import type { Closing } from '../ownership/closing.js'
import type { Frames } from '../ownership/frames.js'
import { ClientParts, type ClientKind } from '../store-client.js'
import type { Background } from '../util/background.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { Contention, QuorumAcquisition, QuorumAcquisitions } from './acquisition.js'
import type { QuorumHold } from './hold.js'
import { Lookup } from './lookup.js'
import { Master } from './master.js'
import type { QuorumSettings } from './options.js'

const kind: ClientKind = {
  title: 'HoldfastQuorum',
  openChannels: (client) => new Channels(client),
  openOperations: (store) => new Operations(store),
}

/** One client's side of several independent masters: what it holds and awaits at a majority of them. */
export class QuorumClient implements Home {
  readonly parts: ClientParts
  readonly settings: QuorumSettings
  readonly clientId: string
  readonly frames: Frames
  readonly events: Events
  readonly background: Background
  readonly closing: Closing
  readonly channels: Channels | undefined
  readonly reports: EventObserver
  /** Each master has its own, and an acquisition knows them. */
  readonly silence = new StoreSilence({ doubt: undefined })
  readonly masters: readonly Master[]
  readonly storeName: string
  readonly names: Addressing
  readonly holds: HoldTable<QuorumHold>
  readonly acquisitions = new QuorumAcquisitions()
  readonly contention: Contention
  readonly steps: Lookup
  readonly registry: Lookup
  readonly operations: Lookup
  readonly readiness: Lookup
  readonly asStore = undefined
  readonly fence = undefined
  /** Set if no lease can have one. */
  readonly whyNoTokens: string | undefined
  #repairing: NodeJS.Timeout | undefined

  constructor(settings: QuorumSettings, engines: readonly LockEngine[]) {
    this.settings = settings
    const parts = new ClientParts(settings, kind)
    this.parts = parts
    this.clientId = parts.id
    this.frames = parts.frames
    this.events = parts.events
    this.background = parts.background
    this.closing = parts.closing
    this.channels = parts.channels
    this.reports = new EventObserver(parts.events)
    this.holds = new HoldTable<QuorumHold>(parts.channels)
    this.contention = new Contention(settings.watchdogTimeoutMs)
    this.masters = engines.map((engine, i) => new Master(this, engine, i + 1))
    const [first] = this.masters
    if (!first) throw new InvalidArgumentError('no masters')
    this.names = first.names
    this.storeName = `a majority of ${engines.length} masters`
    this.whyNoTokens = this.masters.every(({ steps }) => steps.raiseToken !== undefined)
      ? undefined
      : 'not all masters of this quorum can keep a fencing token'
    const lookup = new Lookup(this)
    this.steps = lookup
    this.registry = lookup
    this.operations = lookup
    this.readiness = lookup
  }

  readonly tokenAdvice = (): string => this.whyNoTokens ?? 'with a quorum, use getFencedLock'

  acquire(
    target: Target,
    request: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ): Promise<AnyAcquired | NotAcquired> {
    const n = this.parts.owners.nextNumber()
    return new QuorumAcquisition(this, n, target, request, wantsToken, wantedSince).runTraced()
  }

  /** Has holds request the masters that they are missing, and waits looked at, every third of the watchdog time. */
  beginRepairing(): void {
    if (this.#repairing) return
    this.#repairing = setInterval(() => {
      for (const hold of this.holds.all) hold.repair()
      warnOfSelfDeadlock(this.events, this.acquisitions.all, this.holds)
    }, this.settings.renewEveryMs)
    // This timer must not keep the process alive.
    this.#repairing.unref()
  }

  get waiting(): number {
    return this.acquisitions.waiting
  }

  async closeAll(drainMs: number): Promise<void> {
    const { holds, acquisitions, background } = this
    await this.closing.drain({ holds, waits: acquisitions }, drainMs)
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    await holds.drained(this.settings.memberTimeoutMs)
    clearInterval(this.#repairing)
    await Promise.all(this.masters.map((master) => master.leave()))
    await background.end()
    this.events.close()
  }
}
