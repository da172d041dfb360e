import type {
  AcquireReply,
  AcquireRequest,
  Inspection,
  LockSteps,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  RenewalReply,
  ResizeReply,
  ResizeRequest,
  SharedInspection,
} from '@holdfast/core/engine'
import { clientOf, TokenFloors } from '@holdfast/core/engine'
import type { PostgresAddress } from './address.js'
import { channelOf } from './channel.js'
import type { Listener } from './connection/listener.js'
import { renewAll } from './renewing.js'
import type { Inbox, PostgresQueueEntry, PostgresRenewal, Steps } from './steps.js'
import type { PostgresStore } from './store.js'

export interface PostgresCommandsDeps {
  readonly steps: Steps
  readonly store: PostgresStore
  readonly channel: string
  readonly inbox: Listener
}

/** The steps of one client on locks, read/write locks and semaphores in a PostgreSQL database. */
export class PostgresCommands implements LockSteps {
  readonly #deps: PostgresCommandsDeps
  readonly #tokenFloors = new TokenFloors()

  constructor(deps: PostgresCommandsDeps) {
    this.#deps = deps
  }

  async acquire(address: PostgresAddress, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply> {
    const step = this.#deps.steps.acquire(address, request, this.#client, this.#tokenFloors.of(address.id))
    const reply = await this.#deps.store.run(step, timeoutMs)
    if (reply.kind === 'held') this.noteToken(address, reply.token)
    return reply
  }

  release(address: PostgresAddress, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply> {
    return this.#deps.store.run(
      this.#deps.steps.release(address, request, this.#tokenFloors.of(address.id)),
      timeoutMs,
    )
  }

  renew(renewals: readonly PostgresRenewal[], timeoutMs: number): Promise<readonly RenewalReply[]> {
    return renewAll(renewals, timeoutMs, (some, waitMs, limitMs) =>
      this.#deps.store.run(this.#deps.steps.renew(some, waitMs), limitMs, true),
    )
  }

  refresh(entries: readonly PostgresQueueEntry[]): Promise<readonly QueueEntryReply[]> {
    return this.#deps.store.run(this.#deps.steps.refresh(entries, this.#client))
  }

  force(address: PostgresAddress, owner: string): Promise<ReleaseReply> {
    const floor = this.#tokenFloors.of(address.id)
    return this.#deps.store.run(this.#deps.steps.force(address, owner, channelOf(clientOf(owner)), floor))
  }

  resize(address: PostgresAddress, request: ResizeRequest, timeoutMs: number): Promise<ResizeReply> {
    return this.#deps.store.run(
      this.#deps.steps.resize(address, request, this.#tokenFloors.of(address.id)),
      timeoutMs,
    )
  }

  inspect(address: PostgresAddress, limit: number): Promise<Inspection | SharedInspection> {
    return this.#deps.store.run(this.#deps.steps.inspect(address, limit))
  }

  raiseToken(address: PostgresAddress, token: number, keepMs: number): Promise<void> {
    return this.#deps.store.run(this.#deps.steps.raiseToken(address, token, keepMs))
  }

  /** What a message says counts once the core has checked its proof. */
  noteToken({ id }: PostgresAddress, token: number): void {
    this.#tokenFloors.saw(id, token)
  }

  get #client(): Inbox {
    const { channel, inbox } = this.#deps
    return { channel, key: inbox.key }
  }
}
