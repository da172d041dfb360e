import type {
  AcquireReply,
  AcquireRequest,
  Address,
  ClientInfo,
  EngineHost,
  EngineSession,
  Inspection,
  QueueEntry,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  Renewal,
  RenewalReply,
} from '@holdfast/core/engine'
import { Connection } from './connection.js'
import type { Notice, StepContext } from './hand-off.js'
import type { LockState } from './lock-state.js'
import * as steps from './steps.js'

/** What a session needs of its store. */
export interface SessionDeps {
  readonly isConnected: boolean
  /** Counts a step; returns whether its reply is lost. */
  count(): { readonly isReplyLost: boolean }
  /** Carries out a step on one lock. */
  run<T>(id: string, tokenFloor: number, step: (state: LockState, context: StepContext) => T): T
  register(clientId: string, info: ClientInfo, ttlMs: number): void
  find(clientId: string): ClientInfo | null
  readonly incarnation: string
  /** Called when this session has closed. */
  closed(session: MemorySession): void
}

/** The steps of one client. */
export class MemorySession implements EngineSession {
  readonly host: EngineHost
  readonly connection: Connection
  readonly #deps: SessionDeps
  /** The largest token that this client has seen. */
  #tokenFloor = 0
  /** Which store replied last, and before which break that was. */
  #lastReply: { readonly incarnation: string; readonly epoch: number } | undefined

  constructor(host: EngineHost, deps: SessionDeps) {
    this.host = host
    this.connection = new Connection(host, deps.isConnected)
    this.#deps = deps
  }

  get connectionEpoch(): number {
    return this.connection.epoch
  }

  locate(name: string): Address {
    return { name, id: name, group: '' }
  }

  resolve(id: string): Address {
    return this.locate(id)
  }

  async prepare(): Promise<void> {
    await this.register()
    await this.subscribe()
  }

  acquire({ id }: Address, request: AcquireRequest): Promise<AcquireReply> {
    return this.#send(() => {
      const reply = this.#run(id, (state, context) => steps.acquire(state, request, context))
      if (reply.kind === 'held') this.#sawToken(reply.token)
      return reply
    })
  }

  release({ id }: Address, request: ReleaseRequest): Promise<ReleaseReply> {
    return this.#send(() => this.#run(id, (state, context) => steps.release(state, request, context)))
  }

  renew(renewals: readonly Renewal[]): Promise<readonly RenewalReply[]> {
    return this.#send(() =>
      renewals.map(({ address: { id }, owner, leaseMs }) =>
        this.#run(id, (state, { nowUs }) => steps.renew(state, owner, leaseMs, nowUs)),
      ),
    )
  }

  refresh(entries: readonly QueueEntry[]): Promise<readonly QueueEntryReply[]> {
    return this.#send(() =>
      entries.map(({ address: { id }, owner, entryTtlMs }) =>
        this.#run(id, (state, { nowUs }) => steps.refresh(state, owner, entryTtlMs, nowUs)),
      ),
    )
  }

  force({ id }: Address, owner: string): Promise<ReleaseReply> {
    return this.#send(() => this.#run(id, (state, context) => steps.force(state, owner, context)))
  }

  inspect({ id }: Address, limit: number): Promise<Inspection> {
    return this.#send(() => this.#run(id, (state, { nowUs }) => steps.inspect(state, limit, nowUs)))
  }

  incarnation(): Promise<string> {
    return this.#send(() => this.#deps.incarnation)
  }

  knownIncarnation(): string | undefined {
    return this.#lastReply?.epoch === this.connection.epoch ? this.#lastReply.incarnation : undefined
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
      const { owner, token, leaseMs, serverUs } = notice
      this.#sawToken(token)
      host.granted(id, owner, { token, leaseMs, serverUs })
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

  #run<T>(id: string, step: (state: LockState, context: StepContext) => T): T {
    return this.#deps.run(id, this.#tokenFloor, step)
  }

  #sawToken(token: number): void {
    this.#tokenFloor = Math.max(this.#tokenFloor, token)
  }
}
