import { hostname } from 'node:os'
import { nanoid } from 'nanoid'
import { HoldChannels } from '../channels/hold-channels.js'
import { mirrorsOf } from '../channels/mirrors.js'
import { QuorumAcquisition } from '../composing/quorum/acquisition.js'
import type { QuorumAcquisitionDeps } from '../composing/quorum/acquisition-deps.js'
import { QuorumAcquisitions } from '../composing/quorum/acquisitions.js'
import { Contention } from '../composing/quorum/contention.js'
import { QuorumHold } from '../composing/quorum/hold.js'
import type { QuorumHoldDeps } from '../composing/quorum/hold.js'
import { Lookup } from '../composing/quorum/lookup.js'
import { Repair } from '../composing/quorum/repair.js'
import type { LockEngine } from '../engine/session.js'
import { ClosedError } from '../errors/errors.js'
import { Events } from '../events/events.js'
import { HoldEvents } from '../holding/hold-reports.js'
import { HoldTable } from '../holding/hold-table.js'
import { Entrance } from '../objects/entrance.js'
import type { Acquired } from '../objects/entrance.js'
import { Lease, type LeaseDeps } from '../objects/lease.js'
import type { LockDeps } from '../objects/lock.js'
import { Frames } from '../ownership/frames.js'
import type { Possession } from '../ownership/possession.js'
import { QuorumMember } from './quorum-member.js'
import type { QuorumSettings } from '../options/quorum-options.js'
import { Background } from '../util/background.js'
import { WaitEvents } from '../waiting/wait-reports.js'

/** The working parts behind one `HoldfastQuorum`, put together. */
export class QuorumClient {
  readonly id = nanoid()
  /** Names the store in messages. */
  readonly storeName: string
  readonly frames = new Frames<Possession<Lease>>()
  readonly events: Events
  readonly background = new Background((error) => {
    this.events.emitError(error)
  })
  readonly holds: HoldTable<QuorumHold<Lease>>
  readonly acquisitions = new QuorumAcquisitions()
  readonly lockDeps: LockDeps
  /** Set if no lease can have one. */
  readonly whyNoTokens: string | undefined
  readonly #members: readonly QuorumMember[]
  readonly #settings: QuorumSettings
  readonly #repair: Repair
  #isClosing = false

  constructor(settings: QuorumSettings, engines: readonly LockEngine[]) {
    this.#settings = settings
    const identity = { clientId: this.id, engine: settings.engine }
    const channels = new HoldChannels(identity)
    this.events = new Events((fn) => this.frames.outside(fn), mirrorsOf(identity))
    this.holds = new HoldTable<QuorumHold<Lease>>(channels)
    const { id: clientId, background, events, frames, holds, acquisitions } = this
    const { label, engine, watchdogTimeoutMs } = settings
    const client = { host: hostname(), pid: process.pid, label, startedAt: new Date() }
    this.#members = engines.map(
      (one, i) =>
        new QuorumMember(
          {
            clientId,
            client,
            settings,
            events,
            background,
            assertOpen: () => {
              this.#assertOpen()
            },
            twinOf: (master, incarnation) =>
              this.masters.find((other) => other !== master && other.health.incarnation === incarnation)
                ?.name,
            wentDown: (master, error) => {
              acquisitions.wentDown(master, error)
            },
            cameUp: () => {
              acquisitions.cameUp()
            },
          },
          one,
          i + 1,
        ),
    )
    const masters = this.#members.map(({ master }) => master)
    this.#repair = new Repair({ everyMs: settings.renewEveryMs, holds })
    this.whyNoTokens = masters.every(({ steps }) => steps.raiseToken !== undefined)
      ? undefined
      : 'not all masters of this quorum can keep a fencing token'
    const tokenAdvice = (): string => this.whyNoTokens ?? 'with a quorum, use getFencedLock'
    const leaseDeps: LeaseDeps = { frames, events, settings, tokenAdvice }
    const holdDeps: QuorumHoldDeps<Lease> = {
      settings,
      reports: new HoldEvents(events),
      holds,
      channels,
      makeLease: (hold, target, fixedLeaseMs, limitAt) =>
        new Lease(leaseDeps, hold, target, fixedLeaseMs, limitAt),
    }
    const storeName = `a majority of ${masters.length} masters`
    this.storeName = storeName
    let acquired = 0
    const acquisitionDeps: QuorumAcquisitionDeps<Acquired> = {
      masters,
      settings: { ...settings, clientId, storeName },
      events,
      reports: new WaitEvents(events),
      contention: new Contention(watchdogTimeoutMs),
      acquisitions,
      nextNumber: () => ++acquired,
      background: (work) => {
        background.run(work)
      },
      admit: (grant, request, waitedMs) => {
        const hold = new QuorumHold(holdDeps, grant, request)
        this.#repair.begin()
        return { hold, lease: hold.open(request, waitedMs) }
      },
    }
    const entrance = new Entrance({
      settings: { ...settings, storeName },
      frames,
      background,
      lastErrorSince: () => undefined,
      assertOpen: ({ name }) => {
        this.#assertOpen(name)
      },
      acquireAfresh: (target, request, wantsToken, wantedSince) =>
        new QuorumAcquisition(acquisitionDeps, target, request, wantsToken, wantedSince).runTraced(),
    })
    const lookup = new Lookup(masters, engine)
    const ready = (): Promise<void> | undefined => {
      this.#assertOpen()
      return undefined
    }
    this.lockDeps = { steps: lookup, registry: lookup, settings, frames, events, holds, entrance, ready }
  }

  /** How many acquisitions wait for a held lock now. */
  get waiting(): number {
    return this.acquisitions.waiting
  }

  get masters(): QuorumMember['master'][] {
    return this.#members.map(({ master }) => master)
  }

  async close(drainMs: number): Promise<void> {
    const { holds, acquisitions, background, events } = this
    this.#isClosing = true
    acquisitions.close()
    await holds.drained(drainMs)
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    await holds.drained(this.#settings.memberTimeoutMs)
    this.#repair.end()
    await Promise.all(this.#members.map((member) => member.close()))
    await background.end()
    events.close()
  }

  #assertOpen(lockName?: string): void {
    if (this.#isClosing) throw new ClosedError('the Holdfast client is closed', { lockName })
  }
}
