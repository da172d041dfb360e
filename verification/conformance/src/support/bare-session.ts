import type {
  AcquireRequest,
  Address,
  EngineSession,
  LockEngine,
  ReleaseRequest,
} from '@holdfast/core/engine'
import { quietHost } from './quiet-host.js'
import { uniqueName } from './until.js'

const timeoutMs = 5_000

/** A session of the engine without a client around it: each call is one step, as the network may deliver it. */
export class BareSession {
  readonly address: Address
  readonly session: EngineSession
  /** What other clients told this one. */
  readonly texts: string[] = []
  onRevoked: (owner: string) => void = () => undefined
  readonly clientId = uniqueName('bare')

  private constructor(engine: LockEngine, lockName: string) {
    const host = quietHost(this.clientId, {
      ...{ watchdogTimeoutMs: 60_000, renewEveryMs: 20_000 },
      client: { host: 'localhost', pid: process.pid, label: 'bare', startedAt: new Date() },
      revoked: (owner) => this.onRevoked(owner),
      onMessage: (text) => void this.texts.push(text),
    })
    this.session = engine.open(host)
    this.address = this.session.names.locate(lockName, 'lock')
  }

  /** Resolves once it may queue. */
  static async open(engine: LockEngine, lockName: string): Promise<BareSession> {
    const bare = new BareSession(engine, lockName)
    await bare.session.prepare(bare.address)
    await bare.session.inbox.subscribe(bare.address)
    return bare
  }

  /** So many owners of this client. */
  owners(count: number): string[] {
    return Array.from({ length: count }, (_, n) => `${this.clientId}:${n + 1}`)
  }

  /** Requests the lock with a lease of a minute, without waiting in the queue unless told otherwise. */
  acquire(owner: string, more: Partial<AcquireRequest> = {}) {
    const request = {
      owner,
      count: 1,
      leaseMs: 60_000,
      entryTtlMs: 0,
      grantLeaseMs: 60_000,
      proof: 'p',
      wantsToken: true,
    }
    return this.session.steps.acquire(this.address, { ...request, ...more }, timeoutMs)
  }

  /** Gives up hold and queue entry unless told otherwise. */
  async release(owner: string, more: Partial<ReleaseRequest> = {}): Promise<string> {
    const request = { owner, count: 0, tombstoneMs: 0, ...more }
    return (await this.session.steps.release(this.address, request, timeoutMs)).kind
  }

  async force(owner: string): Promise<string> {
    return (await this.session.steps.force(this.address, owner)).kind
  }

  renew(leaseMs: number, ...owners: string[]) {
    const { address } = this
    return this.session.steps.renew(
      owners.map((owner) => ({ address, owner, leaseMs })),
      timeoutMs,
    )
  }

  /** The state of each queue entry. */
  refresh(...owners: string[]) {
    const { address } = this
    return this.session.steps.refresh(owners.map((owner) => ({ address, owner, entryTtlMs: 60_000 })))
  }

  async inspect() {
    const reply = await this.session.steps.inspect(this.address, 100)
    if (reply.kind !== 'lock') throw new Error(`expected a lock, got ${reply.kind}`)
    return reply
  }
}
