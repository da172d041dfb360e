import {
  clientOf,
  RefusedError,
  TokenFloors,
  UnavailableError,
  type AcquireReply,
  type AcquireRequest,
  type Address,
  type EngineHost,
  type Inspection,
  type LockSteps,
  type NotALockReply,
  type QueueEntry,
  type QueueEntryReply,
  type ReleaseReply,
  type ReleaseRequest,
  type Renewal,
  type RenewalReply,
  type ResizeReply,
  type ResizeRequest,
  type SharedInspection,
} from '@holdfast/core/engine'
import type { ObjectAddress } from './address.js'
import { acquire } from './acquire.js'
import type { CoarseClock } from './coarse-clock.js'
import type { AnyStep, Objects } from './objects.js'
import type { Mail } from './mail.js'
import { lockSteps, sharedSteps } from './steps/index.js'
import type { DocumentSession } from './store.js'

/** What the steps of one client need of its session. */
export interface DocumentCommandsDeps {
  readonly host: EngineHost
  readonly engine: string
  readonly objects: Objects
  readonly session: Pick<DocumentSession, 'willLease'>
  readonly clock: CoarseClock
  readonly pollMs: readonly [shortest: number, longest: number]
  /** Whether owners wait in the order of their requests. */
  readonly queue: boolean
  /** Whether grants carry tokens that only grow. */
  readonly hasTokens: boolean
  /** Of this client, if it can get any. */
  readonly mail: Mail | undefined
}

interface DocumentRenewal extends Renewal {
  readonly address: ObjectAddress
}

interface DocumentEntry extends QueueEntry {
  readonly address: ObjectAddress
}

/** The steps of one client on locks, read/write locks and semaphores. */
export class DocumentCommands implements LockSteps {
  readonly #deps: DocumentCommandsDeps
  readonly #tokenFloors = new TokenFloors()

  constructor(deps: DocumentCommandsDeps) {
    this.#deps = deps
  }

  async acquire(address: ObjectAddress, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply> {
    this.#deps.session.willLease?.(request.leaseMs)
    const reply = await this.#run<AcquireReply>(address, timeoutMs, (on) =>
      acquire(address, request, on, this.#deps),
    )
    if (reply.kind !== 'held') return reply
    if (!this.#deps.hasTokens) return { ...reply, token: 0 }
    this.noteToken(address, reply.token)
    return reply
  }

  async release(address: ObjectAddress, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply> {
    const { clock, queue, host, mail, session } = this.#deps
    const tombstoneMs = clock.atLeast(request.tombstoneMs)
    const keepMs = request.keepMs === undefined ? undefined : clock.atLeast(request.keepMs)
    if (keepMs !== undefined) session.willLease?.(keepMs)
    const released = await this.#run<ReleaseReply>(
      address,
      timeoutMs,
      ({ steps, content, opened, context }) => {
        const reply = steps.release(content.state, { ...request, tombstoneMs, keepMs }, context)
        // Others find out when they look again.
        if (!queue && reply.kind === 'released') opened.afterwards(() => host.wake(address.id))
        return reply
      },
    )
    if (released.kind === 'not-held') await mail?.collect(timeoutMs)
    return released
  }

  async renew(renewals: readonly DocumentRenewal[], timeoutMs: number): Promise<readonly RenewalReply[]> {
    const { clock, host, mail, session } = this.#deps
    for (const { leaseMs } of renewals) session.willLease?.(leaseMs)
    const results = await Promise.allSettled(
      renewals.map(({ address, owner, leaseMs }) =>
        this.#run<RenewalReply>(address, timeoutMs, ({ steps, content, context }) =>
          steps.renew(content.state, owner, clock.atLeast(leaseMs), context.nowUs),
        ),
      ),
    )
    const [first] = results
    if (first?.status === 'rejected' && results.every(({ status }) => status === 'rejected'))
      throw first.reason
    const replies = results.map((result): RenewalReply => {
      if (result.status === 'fulfilled') return typeof result.value === 'string' ? result.value : 'not-held'
      if (!(result.reason instanceof UnavailableError)) host.error(result.reason)
      return 'no-reply'
    })
    // Whoever ended a hold has said so before.
    if (replies.includes('not-held')) await mail?.collect(timeoutMs)
    return replies
  }

  async refresh(entries: readonly DocumentEntry[]): Promise<readonly QueueEntryReply[]> {
    const { clock, host } = this.#deps
    return Promise.all(
      entries.map(async ({ address, owner, entryTtlMs }) => {
        const reply = await this.#run<QueueEntryReply>(
          address,
          host.commandTimeoutMs,
          ({ steps, content, context }) =>
            steps.refresh(content.state, owner, clock.atLeast(entryTtlMs), context.nowUs),
        )
        // Who holds no lock here learns why when it requests one.
        return 'kind' in reply
          ? { state: 'missing', ttlMs: 0 }
          : { ...reply, ttlMs: clock.certainly(reply.ttlMs) }
      }),
    )
  }

  async force(address: ObjectAddress, owner: string): Promise<ReleaseReply> {
    const { host, mail } = this.#deps
    const reply = await this.#run<ReleaseReply>(
      address,
      host.commandTimeoutMs,
      ({ steps, content, context }) => steps.force(content.state, owner, context),
    )
    const client = clientOf(owner)
    // Its next renewal tells it otherwise.
    if (reply.kind === 'released' && client !== host.clientId)
      await mail?.send(client, { evicted: owner }).catch(() => undefined)
    return reply
  }

  async resize(
    address: ObjectAddress,
    request: ResizeRequest,
    timeoutMs: number,
  ): Promise<ResizeReply | NotALockReply> {
    const { objects, clock } = this.#deps
    const keepMs = clock.atLeast(request.keepMs)
    return objects.runShared(address, timeoutMs, this.#tokenFloors.of(address.id), (state, context) =>
      sharedSteps.resize(state, { ...request, keepMs }, context),
    )
  }

  async inspect(
    address: ObjectAddress,
    limit: number,
  ): Promise<Inspection | SharedInspection | NotALockReply> {
    const { clock, host } = this.#deps
    return this.#run(address, host.commandTimeoutMs, ({ steps, content, context }) =>
      certainly(steps.inspect(content.state, limit, context.nowUs), clock),
    )
  }

  async raiseToken(address: ObjectAddress, token: number, keepMs: number): Promise<void> {
    const { objects, clock, engine, host } = this.#deps
    const raise = { token, keepMs: clock.atLeast(keepMs), engine }
    const reply = await objects.runLock(address, host.commandTimeoutMs, 0, (state, { nowUs }) => {
      lockSteps.raiseToken(state, raise, nowUs)
    })
    if (reply)
      throw new RefusedError(`the token of lock ${address.name} cannot be raised: ${reply.reason}`, {
        engine,
      })
  }

  noteToken({ id }: Pick<Address, 'id'>, token: number): void {
    this.#tokenFloors.saw(id, token)
  }

  #run<T>(address: ObjectAddress, timeoutMs: number, step: AnyStep<T>): Promise<T | NotALockReply> {
    return this.#deps.objects.run(address, timeoutMs, this.#tokenFloors.of(address.id), step)
  }
}

/** What is certain to be left of each hold and each entry. */
function certainly(found: Inspection | SharedInspection, clock: CoarseClock): Inspection | SharedInspection {
  const left = <Entry extends { readonly aliveMs: number }>(entry: Entry): Entry => ({
    ...entry,
    aliveMs: clock.certainly(entry.aliveMs),
  })
  if (found.kind === 'lock') {
    return { ...found, ttlMs: clock.certainly(found.ttlMs), waiters: found.waiters.map(left) }
  }
  const holders = found.holders.map((holder) => ({ ...holder, ttlMs: clock.certainly(holder.ttlMs) }))
  return { ...found, holders, waiters: found.waiters.map(left) }
}
