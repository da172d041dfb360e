import type {
  AcquireReply,
  AcquireRequest,
  Address,
  ClientInfo,
  EngineHost,
  EngineSession,
  Inspection,
  ObjectType,
  JointReply,
  JointRequest,
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
import { TokenFloors } from '@holdfast/core/engine'
import { addressOf, objectOf, type MemoryAddress } from './address.js'
import { acquireMany } from './acquire-many.js'
import { Connection } from './connection.js'
import type { Notice, StepContext } from './hand-off.js'
import type { LatchRecord } from './latch-state.js'
import type { LatchContext } from './latch-steps.js'
import { MemoryLatches } from './latches.js'
import type { LockState } from './lock-state.js'
import { MemoryOperator, type MemoryOperatorDeps } from './operator.js'
import type { SharedState } from './shared-state.js'
import { resize } from './shared-steps.js'
import { raiseToken } from './steps.js'
import type { AnyStep } from './steps-of.js'

/** What a session needs of its store. */
export interface SessionDeps {
  readonly isConnected: boolean
  /** Counts a step; returns whether its reply is lost. */
  count(): { readonly isReplyLost: boolean }
  /** Carries out a step on one object. */
  run<T>(address: MemoryAddress, tokenFloor: number, step: AnyStep<T>): T
  /** The same for a part of a step on several locks. */
  runLock<T>(id: string, tokenFloor: number, step: (state: LockState, context: StepContext) => T): T
  /** The same for a step that only read/write locks and semaphores have. */
  runShared<T>(
    address: MemoryAddress,
    tokenFloor: number,
    step: (state: SharedState, context: StepContext) => T,
  ): T
  /** Carries out a step on one latch. */
  runLatch<T>(id: string, step: (latch: LatchRecord, context: LatchContext) => T): T
  /** What operators' steps see and do, but for sending. */
  readonly forOperators: Omit<MemoryOperatorDeps, 'send'>
  register(clientId: string, info: ClientInfo, ttlMs: number): void
  find(clientId: string): ClientInfo | null
  readonly incarnation: string
  /** For how long the store has had its present data, milliseconds. */
  readonly uptimeMs: number
  /** Called when this session has closed. */
  closed(session: MemorySession): void
}

interface MemoryRenewal extends Renewal {
  readonly address: MemoryAddress
}

interface MemoryQueueEntry extends QueueEntry {
  readonly address: MemoryAddress
}

/** The steps of one client. */
export class MemorySession implements EngineSession {
  readonly host: EngineHost
  readonly connection: Connection
  readonly latches: MemoryLatches
  readonly operator: MemoryOperator
  readonly #deps: SessionDeps
  readonly #tokenFloors = new TokenFloors()
  /** Which store replied last, and before which break that was. */
  #lastReply: { readonly incarnation: string; readonly epoch: number } | undefined

  constructor(host: EngineHost, deps: SessionDeps) {
    this.host = host
    this.connection = new Connection(host, deps.isConnected)
    this.#deps = deps
    this.latches = new MemoryLatches({
      clientId: host.clientId,
      send: (step) => this.#send(step),
      run: (id, step) => deps.runLatch(id, step),
    })
    this.operator = new MemoryOperator({ ...deps.forOperators, send: (step) => this.#send(step) })
  }

  get connectionEpoch(): number {
    return this.connection.epoch
  }

  locate(name: string, object: ObjectType): MemoryAddress {
    return addressOf(name, object)
  }

  resolve(id: string): MemoryAddress {
    const { name, object } = objectOf(id)
    return addressOf(name, object)
  }

  async prepare(): Promise<void> {
    await this.register()
    await this.subscribe()
  }

  acquire(address: MemoryAddress, request: AcquireRequest): Promise<AcquireReply> {
    return this.#send(() => {
      const reply = this.#run(address, (steps, state, context) => steps.acquire(state, request, context))
      if (reply.kind === 'held') this.noteToken(address, reply.token)
      return reply
    })
  }

  acquireMany(request: JointRequest): Promise<JointReply> {
    return this.#send(() => {
      const reply = acquireMany(request, (id, step) => this.#deps.runLock(id, this.#tokenFloors.of(id), step))
      if (reply.kind !== 'entered') return reply
      for (const [i, token] of reply.tokens.entries()) {
        const { address } = request.locks[i] ?? {}
        if (address) this.noteToken(address, token)
      }
      return reply
    })
  }

  release(address: MemoryAddress, request: ReleaseRequest): Promise<ReleaseReply> {
    return this.#send(() =>
      this.#run(address, (steps, state, context) => steps.release(state, request, context)),
    )
  }

  renew(renewals: readonly MemoryRenewal[]): Promise<readonly RenewalReply[]> {
    return this.#send(() =>
      renewals.map(({ address, owner, leaseMs }) =>
        this.#run(address, (steps, state, { nowUs }) => steps.renew(state, owner, leaseMs, nowUs)),
      ),
    )
  }

  refresh(entries: readonly MemoryQueueEntry[]): Promise<readonly QueueEntryReply[]> {
    return this.#send(() =>
      entries.map(({ address, owner, entryTtlMs }) =>
        this.#run(address, (steps, state, { nowUs }) => steps.refresh(state, owner, entryTtlMs, nowUs)),
      ),
    )
  }

  force(address: MemoryAddress, owner: string): Promise<ReleaseReply> {
    return this.#send(() => this.#run(address, (steps, state, context) => steps.force(state, owner, context)))
  }

  resize(address: MemoryAddress, request: ResizeRequest): Promise<ResizeReply> {
    return this.#send(() =>
      this.#deps.runShared(address, this.#tokenFloors.of(address.id), (state, context) =>
        resize(state, request, context),
      ),
    )
  }

  inspect(address: MemoryAddress, limit: number): Promise<Inspection | SharedInspection> {
    return this.#send(() =>
      this.#run(address, (steps, state, { nowUs }) => steps.inspect(state, limit, nowUs)),
    )
  }

  incarnation(): Promise<string> {
    return this.#send(() => this.#deps.incarnation)
  }

  knownIncarnation(): string | undefined {
    return this.#lastReply?.epoch === this.connection.epoch ? this.#lastReply.incarnation : undefined
  }

  uptimeMs(): Promise<number> {
    return this.#send(() => this.#deps.uptimeMs)
  }

  raiseToken({ id }: MemoryAddress, token: number, keepMs: number): Promise<void> {
    return this.#send(() => {
      this.#deps.runLock(id, this.#tokenFloors.of(id), (state, { nowUs }) => {
        raiseToken(state, token, keepMs, nowUs)
      })
    })
  }

  noteToken({ id }: Pick<Address, 'id'>, token: number): void {
    this.#tokenFloors.saw(id, token)
  }

  isSubscribed(): boolean {
    return this.connection.isSubscribed
  }

  subscribe(): Promise<void> {
    return this.connection.subscribe()
  }

  register(): Promise<void> {
    const { clientId, client, watchdogTimeoutMs } = this.host
    return this.#send(() => this.#deps.register(clientId, client, watchdogTimeoutMs))
  }

  find(clientId: string): Promise<ClientInfo | null> {
    return this.#send(() => this.#deps.find(clientId))
  }

  close(): Promise<void> {
    this.#deps.closed(this)
    return this.connection.close()
  }

  /** Passes on what a step did for an owner of this client, or to it. */
  notify(id: string, notice: Notice): void {
    this.connection.notify((host) => {
      if (notice.kind === 'revoked') {
        host.revoked(notice.owner)
        return
      }
      const { owner, proof, token, leaseMs, serverUs } = notice
      host.granted(id, owner, { proof, token, leaseMs, serverUs })
    })
  }

  #send<T>(step: () => T): Promise<T> {
    return this.connection.send(() => {
      const reply = step()
      const { isReplyLost } = this.#deps.count()
      if (!isReplyLost) {
        this.#lastReply = { incarnation: this.#deps.incarnation, epoch: this.connection.epoch }
      }
      return { reply, isReplyLost }
    })
  }

  #run<T>(address: MemoryAddress, step: AnyStep<T>): T {
    return this.#deps.run(address, this.#tokenFloors.of(address.id), step)
  }
}
