import type {
  AcquireReply,
  AcquireRequest,
  Address,
  Inspection,
  JointReply,
  JointRequest,
  LockSteps,
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
import type { ObjectAddress } from '@holdfast/documents'
import { acquireMany, lockSteps, sharedSteps, type AnyStep } from '@holdfast/documents/steps'
import type { SessionDeps } from './session-deps.js'

/** What the steps of one client need of its session. */
export interface MemoryCommandsDeps extends Pick<SessionDeps, 'run' | 'runLock' | 'runShared'> {
  /** Carries out a step, whose reply may be lost. */
  send<T>(step: () => T): Promise<T>
}

interface MemoryRenewal extends Renewal {
  readonly address: ObjectAddress
}

interface MemoryQueueEntry extends QueueEntry {
  readonly address: ObjectAddress
}

/** The steps of one client on locks, read/write locks and semaphores. */
export class MemoryCommands implements LockSteps {
  readonly #deps: MemoryCommandsDeps
  readonly #tokenFloors = new TokenFloors()

  constructor(deps: MemoryCommandsDeps) {
    this.#deps = deps
  }

  acquire(address: ObjectAddress, request: AcquireRequest): Promise<AcquireReply> {
    return this.#deps.send(() => {
      const reply = this.#run(address, (steps, state, context) => steps.acquire(state, request, context))
      if (reply.kind === 'held') this.noteToken(address, reply.token)
      return reply
    })
  }

  acquireMany(request: JointRequest): Promise<JointReply> {
    return this.#deps.send(() => {
      const reply = acquireMany(request, (id, step) => this.#deps.runLock(id, this.#tokenFloors.of(id), step))
      if (reply.kind !== 'entered') return reply
      for (const [i, token] of reply.tokens.entries()) {
        const { address } = request.locks[i] ?? {}
        if (address) this.noteToken(address, token)
      }
      return reply
    })
  }

  release(address: ObjectAddress, request: ReleaseRequest): Promise<ReleaseReply> {
    return this.#deps.send(() =>
      this.#run(address, (steps, state, context) => steps.release(state, request, context)),
    )
  }

  renew(renewals: readonly MemoryRenewal[]): Promise<readonly RenewalReply[]> {
    return this.#deps.send(() =>
      renewals.map(({ address, owner, leaseMs }) =>
        this.#run(address, (steps, state, { nowUs }) => steps.renew(state, owner, leaseMs, nowUs)),
      ),
    )
  }

  refresh(entries: readonly MemoryQueueEntry[]): Promise<readonly QueueEntryReply[]> {
    return this.#deps.send(() =>
      entries.map(({ address, owner, entryTtlMs }) =>
        this.#run(address, (steps, state, { nowUs }) => steps.refresh(state, owner, entryTtlMs, nowUs)),
      ),
    )
  }

  force(address: ObjectAddress, owner: string): Promise<ReleaseReply> {
    return this.#deps.send(() =>
      this.#run(address, (steps, state, context) => steps.force(state, owner, context)),
    )
  }

  resize(address: ObjectAddress, request: ResizeRequest): Promise<ResizeReply> {
    return this.#deps.send(() =>
      this.#deps.runShared(address, this.#tokenFloors.of(address.id), (state, context) =>
        sharedSteps.resize(state, request, context),
      ),
    )
  }

  inspect(address: ObjectAddress, limit: number): Promise<Inspection | SharedInspection> {
    return this.#deps.send(() =>
      this.#run(address, (steps, state, { nowUs }) => steps.inspect(state, limit, nowUs)),
    )
  }

  raiseToken({ id }: ObjectAddress, token: number, keepMs: number): Promise<void> {
    return this.#deps.send(() =>
      this.#deps.runLock(id, this.#tokenFloors.of(id), (state, { nowUs }) =>
        lockSteps.raiseToken(state, { token, keepMs, engine: 'memory' }, nowUs),
      ),
    )
  }

  noteToken({ id }: Pick<Address, 'id'>, token: number): void {
    this.#tokenFloors.saw(id, token)
  }

  #run<T>(address: ObjectAddress, step: AnyStep<T>): T {
    return this.#deps.run(address, this.#tokenFloors.of(address.id), step)
  }
}
