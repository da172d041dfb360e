import { UnavailableError, within, timedOut } from '@holdfast/core/engine'
import type * as port from '@holdfast/core/engine'
import { Acquiring } from './acquire.js'
import { addressing, type QueueAddress, type QueueAddressing } from './address.js'
import { Background } from './background.js'
import { Brake } from './brake.js'
import type { StepDeps } from './deps.js'
import { SessionFacts } from './facts.js'
import { Heartbeat } from './heartbeat.js'
import { SessionInbox } from './inbox.js'
import { Inspecting } from './inspect.js'
import { LatchWatches } from './latch-watches.js'
import { QueueLatches } from './latches.js'
import { operatorOf } from './operator.js'
import { Places } from './places.js'
import { Registration } from './registration.js'
import { Releasing } from './release.js'
import { Renewing } from './renew.js'
import { resize } from './resize.js'
import type { OpenStore, QueueStore } from './store.js'
import { SizeWatches } from './size-watches.js'
import { Sizes } from './sizes.js'
import { Tombstones } from './tombstones.js'
import { Turns } from './turns.js'

/** The session of one client at a store that has queues. */
export class QueueSession implements port.EngineSession {
  readonly store: SessionFacts
  readonly names: QueueAddressing = addressing
  readonly steps: QueueSteps
  readonly inbox: SessionInbox
  readonly registry: Registration
  readonly operator: port.OperatorSession | undefined
  readonly latches: port.LatchSession | undefined
  readonly #host: port.EngineHost
  readonly #queues: QueueStore
  readonly #places = new Places()
  readonly #background = new Background()
  readonly #heartbeat: Heartbeat
  readonly #sizes: Sizes
  #latchWatches: LatchWatches | undefined
  #isClosed = false

  constructor(open: OpenStore, host: port.EngineHost) {
    this.#host = host
    const store = open(host, {
      broken: () => this.#report(() => host.broken()),
      ended: (session) => this.#onEnd(session),
      connected: () => this.#onConnection(),
      evicted: (owner) => this.#report(() => host.revoked(owner)),
      message: (text) => this.#report(() => host.onMessage(text)),
    })
    this.#queues = store
    this.store = new SessionFacts(host, store)
    this.registry = new Registration(host, store)
    this.#sizes = new Sizes({ host, store, background: this.#background })
    this.#heartbeat = new Heartbeat(host, store, this.#places)
    this.inbox = new SessionInbox(host, store, this.#background)
    this.latches = this.#latchesOf(host, store)
    this.operator = store.operator && operatorOf(store.operator, host)
    this.steps = new QueueSteps(this.#depsOf(host, store))
  }

  async prepare(): Promise<void> {
    await this.#queues.connect(this.#host.commandTimeoutMs)
    await this.registry.register()
    this.#heartbeat.start()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#heartbeat.close()
    this.#background.close()
    this.#places.close()
    this.#sizes.close()
    this.#latchWatches?.close()
    await this.#queues.close()
  }

  #latchesOf(host: port.EngineHost, store: QueueStore): port.LatchSession | undefined {
    const { latches } = store
    if (!latches) return undefined
    const watches = new LatchWatches({ host, store, latches, background: this.#background })
    this.#latchWatches = watches
    const { commandTimeoutMs } = host
    return new QueueLatches({ latches, watches, commandTimeoutMs, now: () => host.now() })
  }

  #depsOf(host: port.EngineHost, store: QueueStore): StepDeps {
    const places = this.#places
    const background = this.#background
    const now = (): number => host.now()
    const brake = new Brake({
      now,
      places,
      store,
      commandTimeoutMs: host.commandTimeoutMs,
      background,
    })
    const sizes = this.#sizes
    const sizeWatches = new SizeWatches(store, sizes)
    const turns = new Turns({ host, store, places, brake, background, sizes, sizeWatches })
    return { host, store, places, brake, background, turns, sizes, tombstones: new Tombstones(now) }
  }

  /** What was held is lost, and what waited enters again. */
  #onEnd(session: string): void {
    this.#places.ended(session)
    this.#report(() => this.#host.broken())
  }

  #onConnection(): void {
    if (this.#isClosed || !this.registry.hasBegun) return
    if (this.registry.isStale) {
      this.#background.repeat(
        () => this.registry.register(),
        () => this.registry.isStale,
      )
    }
    this.#host.missed()
    this.#host.reconnected()
  }

  #report(report: () => void): void {
    if (!this.#isClosed) report()
  }
}

/** The steps, each bounded: it may have to wait for others of its owner, and takes several requests. */
class QueueSteps implements port.LockSteps {
  readonly #deps: StepDeps
  readonly #acquiring: Acquiring
  readonly #releasing: Releasing
  readonly #renewing: Renewing
  readonly #inspecting: Inspecting

  constructor(deps: StepDeps) {
    this.#deps = deps
    this.#acquiring = new Acquiring(deps)
    this.#releasing = new Releasing(deps)
    this.#renewing = new Renewing(deps)
    this.#inspecting = new Inspecting(deps)
  }

  acquire(address: QueueAddress, request: port.AcquireRequest, timeoutMs: number) {
    return this.#bounded(this.#acquiring.acquire(address, request, timeoutMs), timeoutMs)
  }

  release(address: QueueAddress, request: port.ReleaseRequest, timeoutMs: number) {
    return this.#bounded(this.#releasing.release(address, request, timeoutMs), timeoutMs)
  }

  renew(renewals: readonly port.Renewal[], timeoutMs: number) {
    return this.#bounded(this.#renewing.renew(renewals, timeoutMs), timeoutMs)
  }

  refresh(entries: readonly port.QueueEntry[]) {
    return this.#renewing.refresh(entries)
  }

  force(address: QueueAddress, owner: string) {
    return this.#releasing.force(address, owner)
  }

  resize(address: QueueAddress, request: port.ResizeRequest, timeoutMs: number) {
    return this.#bounded(resize(this.#deps, address, request, timeoutMs), timeoutMs)
  }

  inspect(address: QueueAddress, limit: number) {
    return this.#inspecting.inspect(address, limit)
  }

  async #bounded<T>(step: Promise<T>, timeoutMs: number): Promise<T> {
    const result = await within(step, timeoutMs)
    if (result !== timedOut) return result
    throw new UnavailableError(`${this.#deps.store.name} has not replied within ${timeoutMs} ms`)
  }
}
