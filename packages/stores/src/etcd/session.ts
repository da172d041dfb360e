import { UnavailableError, type EngineHost } from '@holdfast/core/engine'
import { closed, engineName, isLeaseGone } from './errors.js'
import { traits } from './traits.js'
import type { Header } from './wire/kv.js'
import { byLease, grantOf, leaseOf, type LeaseReply } from './wire/leases.js'
import type { Message } from './wire/protobuf.js'

export type Call = (call: string, request: Buffer, timeoutMs: number) => Promise<Message>

export interface SessionDeps {
  readonly host: Pick<EngineHost, 'now' | 'commandTimeoutMs'>
  readonly call: Call
  /** It has ended, and all that it had is gone or soon will be. */
  ended(name: string): void
  /** Another one has begun since. */
  resumed(): void
  /** etcd keeps leases for longer than was wanted and is usual, milliseconds. */
  lengthened(ms: number): void
}

/**
 * The session of one client: a lease of etcd, to which all of its keys are attached.
 *
 * | State   | Meaning                                   | Left when                                                                                             |
 * | ------- | ----------------------------------------- | ----------------------------------------------------------------------------------------------------- |
 * | none    | there is no lease                         | one is needed: a grant is requested, once, and runs if its reply comes while holds would be claimed   |
 * | running | `name` is its id, `provenAt` is its proof | etcd says that the lease is gone, or there was no proof for as long as its holds are claimed: none    |
 * | closed  | the lease is revoked                      | never                                                                                                 |
 *
 * A session without a proof for so long does not go on even if its lease still lives, which it does where no quorum was
 * there to end it: its holds are no longer claimed, so they must not stay.
 */
export class Session {
  readonly #deps: SessionDeps
  readonly #wantedMs: number
  #lease = 0n
  #ms: number
  #provenAt = -Infinity
  #beginning: Promise<void> | undefined
  #hasEnded = false
  #isClosed = false

  constructor(sessionMs: number, deps: SessionDeps) {
    this.#deps = deps
    this.#wantedMs = sessionMs
    this.#ms = sessionMs
  }

  /** '' while there is none. */
  get name(): string {
    return nameOf(this.#lease)
  }

  /** How long it lives from its last proof, milliseconds: as wanted, even if etcd keeps the lease for longer. */
  get ms(): number {
    return this.#ms
  }

  /** When the request was sent that last proved it, by the clock of the host. */
  get provenAt(): number {
    return this.#provenAt
  }

  /** The session's lease; a session begins if there is none. Never 0, which means no lease: etcd would keep such keys forever. */
  async lease(timeoutMs: number): Promise<bigint> {
    this.#endIfUnheard()
    if (this.#lease === 0n) await this.#begin(timeoutMs)
    if (this.#lease === 0n) throw tooSlow()
    return this.#lease
  }

  /**
   * Keeps the session alive, and then reads. A leader that was deposed without knowing keeps leases alive that its successor
   * ends: the renewal counts only if the read, which needs a quorum, was carried out in the term of the same leader.
   *
   * @param left - how long it all may take from now on, milliseconds
   * @returns what was read; `null` if the session has ended, and another has begun
   */
  async prove<T extends Pick<Header, 'term'>>(read: () => Promise<T>, left: () => number): Promise<T | null> {
    this.#endIfUnheard()
    const lease = this.#lease
    if (lease === 0n) {
      await this.#begin(left())
      return null
    }
    for (let isRepeated = false; ; isRepeated = true) {
      const sentAt = this.#deps.host.now()
      const kept = await this.#keepAlive(lease, left())
      const found = kept && (await read())
      this.#endIfUnheard()
      if (kept === null) this.refused(lease)
      if (found === null || lease !== this.#lease) {
        await this.lease(left())
        return null
      }
      if (found.term === kept?.term) {
        this.#provenAt = Math.max(this.#provenAt, sentAt)
        this.#ms = this.#shorterOf(kept.ttlS)
        return found
      }
      if (isRepeated) throw new UnavailableError('etcd changes its leader', { engine: engineName })
    }
  }

  /** Notes that a request of this lease was refused because the lease is gone. */
  refused(lease: bigint): void {
    if (lease === this.#lease) this.#end(lease)
  }

  /** Ends it, so that all of its keys go now. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true
    await this.#beginning?.catch(() => undefined)
    const lease = this.#lease
    this.#lease = 0n
    this.#provenAt = -Infinity
    if (lease !== 0n) await this.#revoke(lease, timeoutMs)
  }

  /** etcd rounds up to whole seconds, and to its shortest lease. */
  #shorterOf(ttlS: number): number {
    return Math.min(this.#wantedMs, ttlS * 1_000)
  }

  #endIfUnheard(): void {
    if (this.#lease !== 0n && this.#isUnheard(this.#provenAt)) this.#end(this.#lease)
  }

  /** Whether holds are no longer claimed by a proof of that instant. */
  #isUnheard(provenAt: number): boolean {
    const claimedUntil = provenAt + this.#ms * (1 - driftShare) - traits.lease.marginMs
    return this.#deps.host.now() >= claimedUntil
  }

  #begin(timeoutMs: number): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed())
    this.#beginning ??= this.#grant(timeoutMs).finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  async #grant(timeoutMs: number): Promise<void> {
    const sentAt = this.#deps.host.now()
    const { lease, ttlS } = leaseOf(
      await this.#deps.call('Lease/LeaseGrant', grantOf(Math.ceil(this.#wantedMs / 1_000)), timeoutMs),
    )
    this.#ms = this.#shorterOf(ttlS)
    if (this.#isUnheard(sentAt)) {
      void this.#revoke(lease, this.#deps.host.commandTimeoutMs)
      throw tooSlow()
    }
    this.#provenAt = sentAt
    this.#lease = lease
    if (ttlS > Math.max(usualShortestS, Math.ceil(this.#wantedMs / 1_000)))
      this.#deps.lengthened(ttlS * 1_000)
    if (this.#hasEnded) this.#deps.resumed()
    this.#hasEnded = false
  }

  /** `null`: the lease is gone. */
  async #keepAlive(lease: bigint, timeoutMs: number): Promise<LeaseReply | null> {
    try {
      const reply = leaseOf(await this.#deps.call('Lease/LeaseKeepAlive', byLease(lease), timeoutMs))
      return reply.ttlS > 0 ? reply : null
    } catch (error) {
      if (isLeaseGone(error)) return null
      throw error
    }
  }

  #end(lease: bigint): void {
    this.#lease = 0n
    this.#provenAt = -Infinity
    this.#hasEnded = true
    this.#deps.ended(nameOf(lease))
    // If that fails, the next request that needs a session begins it.
    this.#begin(this.#deps.host.commandTimeoutMs).catch(() => undefined)
    // If it is alive after all, its keys must not keep others waiting.
    void this.#revoke(lease, this.#deps.host.commandTimeoutMs)
  }

  async #revoke(lease: bigint, timeoutMs: number): Promise<void> {
    try {
      await this.#deps.call('Lease/LeaseRevoke', byLease(lease), timeoutMs)
    } catch {
      // It ends by itself.
    }
  }
}

/** Clocks of two machines run at slightly different speeds; the session queue takes off as much. */
const driftShare = 0.01

/** One and a half times the election timeout of 1 s that servers have by default, in whole seconds. */
const usualShortestS = 2

const tooSlow = (): UnavailableError =>
  new UnavailableError('etcd took longer to begin a session than the session lasts', { engine: engineName })

const nameOf = (lease: bigint): string => (lease === 0n ? '' : lease.toString(16))
