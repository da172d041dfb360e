import { clientOf, numberOf, ownerOf, type Address } from '../engine/requests.js'
import type { LockEngine } from '../engine/session.js'
import { HoldfastError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import type { Observer } from '../events/observer.js'
import { StoreClient } from '../store-client.js'
import { withTimeout } from '../util/timeouts.js'
import type { QuorumClient } from './client.js'
import { Health } from './health.js'

/** One of the independent stores that vote on who holds a lock. Its holds are votes, and hear of themselves as {@link Voter}s. */
export class Master extends StoreClient {
  readonly health: Health
  readonly #quorum: QuorumClient

  /** @param n - which one it is, from 1 on */
  constructor(quorum: QuorumClient, engine: LockEngine, n: number) {
    const { parts, settings } = quorum
    super(parts, engine, {
      settings: { ...settings, maxWaiters: Infinity },
      reports: errorsOnly(parts.events),
      channels: undefined,
      unnamed: `master ${n} (${engine.name})`,
    })
    this.#quorum = quorum
    this.health = new Health(this, settings)
    this.readiness = this.health
  }

  twinOf(incarnation: string): string | undefined {
    const { masters } = this.#quorum
    return masters.find((other) => other !== this && other.health.incarnation === incarnation)?.storeName
  }

  wentDown(error: HoldfastError): void {
    this.events.emitError(error)
    this.#quorum.acquisitions.wentDown(this, error)
  }

  cameUp(): void {
    this.events.reached()
    this.#quorum.acquisitions.cameUp()
  }

  /** Who an owner at this master is, with locks of a quorum. */
  ownerOf(owner: string): string {
    return this.engine.sharing?.foreignOwnerOf(owner) ?? ownerOfVote(owner)
  }

  async raiseToken(address: Address, token: number, keepMs: number): Promise<void> {
    const { steps, storeName } = this
    if (!steps.raiseToken) throw new HoldfastError(`${storeName} cannot raise a fencing token`)
    await steps.raiseToken(address, token, keepMs)
  }

  /** Ends every wait, and lets go of every vote that is left. */
  async leave(): Promise<void> {
    const { holds, waiters, background, commandTimeoutMs } = this
    waiters.close('all')
    this.loseAll()
    await Promise.all([withTimeout(background.settled(), commandTimeoutMs), holds.drained(commandTimeoutMs)])
    this.health.close()
    await this.close()
  }

  /** Waits are looked at as those of the quorum. */
  override onRound(): void {
    return
  }

  protected override onReached(): void {
    return
  }

  protected override onReconnected(): void {
    this.health.suspect()
  }

  protected override onUnsubscribed(): void {
    this.health.suspect()
  }

  /** That the master is down is reported once, when that is found out. */
  protected override onStoreError(): void {
    return
  }
}

/** Votes are no holds of the application. */
const errorsOnly = (events: Events): Observer => ({
  waiting: nothing,
  granted: nothing,
  acquired: nothing,
  renewed: nothing,
  released: nothing,
  downgraded: nothing,
  lost: nothing,
  dropped: nothing,
  unconfirmed: nothing,
  error: (error) => events.emitError(error),
})

const nothing = (): void => undefined

/**
 * How owners are named at the masters. A request that may still be on its way must never be mistaken for a later one, so each
 * request of an acquisition to one master has an owner of its own: its number is that of the acquisition, with six more
 * digits. The first requests have the same owner at every master.
 */
const requestsPerAcquisition = 1_000_000

/** The number of the owner of the k-th request, from 1 on, that the n-th acquisition sends to a master. */
export const voteNumber = (n: number, k: number): number =>
  n * requestsPerAcquisition + (k % requestsPerAcquisition)

/** The owner of the acquisition that an owner at a master stands for. */
const ownerOfVote = (owner: string): string =>
  owner && ownerOf(clientOf(owner), Math.floor(numberOf(owner) / requestsPerAcquisition))
