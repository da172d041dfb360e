import { clientOf, numberOf, ownerOf, type Address } from '../engine/requests.js'
import type { LockEngine } from '../engine/session.js'
import { HoldfastError, toHoldfastError, UnavailableError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import type { Observer } from '../events/observer.js'
import { StoreClient } from '../store-client.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import type { Ready } from '../waiting/readiness.js'
import type { QuorumClient } from './client.js'
import { notIndependent, whyQuarantined, type QuorumSettings } from './options.js'

/** The store of a master, and what it does with what is found out. */
export type CheckedStore = StoreClient & {
  /** Another master, up, that is the same running store; its name. */
  twinOf(incarnation: string): string | undefined
  wentDown(error: HoldfastError): void
  /** It has a vote, for the first time or again. */
  cameUp(): void
}

/**
 * Whether a master is requested, and whether its yes counts.
 *
 * | State       | true in it                                        | leaves it on                                            |
 * | ----------- | ------------------------------------------------- | ------------------------------------------------------- |
 * | new         | never used; the first request checks it           | check passed → up; young → quarantined; failed → down   |
 * | up          | it replied; after a break of its connection it is | no reply → down; a check after a break as for new       |
 * |             | checked again before its yes counts               |                                                         |
 * | down        | not requested, or the same server as another      | check passed → up; young → quarantined                  |
 * |             | master; checked once per memberTimeoutMs          |                                                         |
 * | quarantined | it restarted lately and may have forgotten votes: | time over → checked again                               |
 * |             | not requested                                     |                                                         |
 * | closed      | no timer is left                                  | -                                                       |
 */
export class Health implements Ready {
  readonly #master: CheckedStore
  readonly #settings: QuorumSettings
  #state: 'new' | 'up' | 'down' | 'quarantined' | 'closed' = 'new'
  #error: HoldfastError | undefined
  /** The last error since it was up that says more than that no reply came. */
  #cause: HoldfastError | undefined
  /** The error for the last check that got no reply. */
  #silence: HoldfastError | undefined
  /** The reading of the connection epoch before the last check that passed. */
  #epoch = -1
  #incarnation: string | undefined
  #address: Address | undefined
  #checking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #watchers = 0
  #watchTimer: NodeJS.Timeout | undefined

  constructor(master: CheckedStore, settings: QuorumSettings) {
    this.#master = master
    this.#settings = settings
  }

  get isUsable(): boolean {
    return this.#state === 'new' || this.#state === 'up'
  }

  /** Whether its first check is over, whatever came of it. */
  get wasChecked(): boolean {
    return this.#state !== 'new'
  }

  get error(): HoldfastError | undefined {
    return this.#error
  }

  /** The store that passed the last check, while it is up; not every store says. */
  get incarnation(): string | undefined {
    return this.#state === 'up' ? this.#incarnation : undefined
  }

  /** `undefined` while a yes of this master counts; otherwise a check, which rejects if it does not. */
  ready(address: Address): Promise<void> | undefined {
    this.#address ??= address
    const isChecked = this.#state === 'up' && this.#epoch === this.#master.facts.connectionEpoch
    return isChecked ? undefined : this.check(address)
  }

  /** Checks it now, unless that is under way. */
  check(address: Address): Promise<void> {
    this.#address ??= address
    this.#checking ??= this.#check(address).finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /** Something hints that it may be down. */
  suspect(): void {
    if (this.#address && this.#state !== 'closed') this.check(this.#address).catch(() => undefined)
  }

  failed(error: HoldfastError): void {
    if (this.isUsable) this.#leave('down', error, this.#settings.memberTimeoutMs)
  }

  /** Someone waits for a notification of this master: a frozen one would leave them waiting, so it is checked periodically. */
  watch(): void {
    this.#watchers++
    this.#watchTimer ??= setInterval(() => this.suspect(), this.#settings.memberTimeoutMs / 2)
    // Waiters keep the process alive by themselves.
    this.#watchTimer.unref()
  }

  unwatch(): void {
    if (--this.#watchers > 0) return
    clearInterval(this.#watchTimer)
    this.#watchTimer = undefined
  }

  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#timer)
    clearInterval(this.#watchTimer)
  }

  async #check(address: Address): Promise<void> {
    const { facts } = this.#master
    const settings = this.#settings
    const epoch = facts.connectionEpoch
    let uptimeMs: number | undefined
    let incarnation: string | undefined
    try {
      const reply = await withTimeout(this.#identify(address), settings.memberTimeoutMs)
      if (reply === timedOut) throw this.#noReply()
      uptimeMs = reply.uptimeMs
      incarnation = facts.knownIncarnation(address) ?? undefined
      this.#refuseTwin(incarnation)
    } catch (thrown) {
      const error = toHoldfastError(thrown)
      this.#leave('down', error, settings.memberTimeoutMs)
      throw error
    }
    const youngMs = settings.restartQuarantineMs - (uptimeMs ?? Infinity)
    if (youngMs > 0) throw this.#quarantine(youngMs)
    const isNews = this.#state !== 'up'
    this.#epoch = epoch
    this.#incarnation = incarnation
    this.#enter('up', undefined)
    if (isNews) this.#master.cameUp()
  }

  async #identify(address: Address): Promise<{ readonly uptimeMs: number | undefined }> {
    const { facts, firstUse } = this.#master
    await firstUse.ready(address)
    const isAsked = facts.uptimeMs && this.#settings.restartQuarantineMs > 0
    if (isAsked) return { uptimeMs: await facts.uptimeMs?.(address) }
    await facts.incarnation(address)
    return { uptimeMs: undefined }
  }

  /** One server that votes twice does not make a majority of independent ones. */
  #refuseTwin(incarnation: string | undefined): void {
    const twin = incarnation === undefined ? undefined : this.#master.twinOf(incarnation)
    if (twin === undefined) return
    const { storeName: name } = this.#master
    throw notIndependent(`${twin} and ${name}, one server`, ` (until then ${name} has no vote)`)
  }

  #quarantine(forMs: number): HoldfastError {
    const { storeName: name, engine } = this.#master
    const { restartQuarantineMs } = this.#settings
    const error = new UnavailableError(
      `${name} started less than ${restartQuarantineMs} ms ago (restartQuarantineMs), and has no vote for another ` +
        `${Math.ceil(forMs)} ms${whyQuarantined}`,
      { engine: engine.name },
    )
    this.#leave('quarantined', error, forMs)
    return error
  }

  #leave(state: 'down' | 'quarantined', error: HoldfastError, recheckInMs: number): void {
    // A master that was unreachable may turn out to be misconfigured.
    const isNews = this.isUsable || error.code !== this.#error?.code
    this.#enter(state, error, recheckInMs)
    if (isNews) this.#master.wentDown(error)
  }

  #enter(state: 'up' | 'down' | 'quarantined', error: HoldfastError | undefined, recheckInMs?: number): void {
    clearTimeout(this.#timer)
    if (this.#state === 'closed') return
    this.#state = state
    this.#error = error
    if (error !== this.#silence) this.#cause = error
    if (recheckInMs === undefined) return
    this.#timer = setTimeout(() => this.suspect(), Math.ceil(recheckInMs))
    // A master that is down must not keep the process alive.
    this.#timer.unref()
  }

  #noReply(): HoldfastError {
    const { storeName: name, engine, facts } = this.#master
    const { memberTimeoutMs } = this.#settings
    const { doubt } = facts
    const why = doubt ? `; ${doubt.message}` : this.#cause ? `; last error: ${this.#cause.message}` : ''
    this.#silence = new UnavailableError(
      `${name} did not reply within ${memberTimeoutMs} ms (memberTimeoutMs)${why}`,
      { engine: engine.name },
    )
    return this.#silence
  }
}

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
