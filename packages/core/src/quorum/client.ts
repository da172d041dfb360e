import { Channels } from '../channels/channels.js'
import type { Address, Addressing, ClientInfo, Inspection, ReleaseReply, Target } from '../engine/requests.js'
import type { LockEngine } from '../engine/session.js'
import { InvalidArgumentError, toHoldfastError, type HoldfastError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import { EventObserver, warnOfSelfDeadlock } from '../events/observer.js'
import { Evictions } from '../holding/loss.js'
import type { AnyAcquired, Home, HomeOperations } from '../objects/entrance.js'
import { Operations } from '../operating/operations.js'
import type { Request } from '../options/options.js'
import type { Closing } from '../ownership/closing.js'
import type { Frames } from '../ownership/frames.js'
import { HoldTable } from '../ownership/owners.js'
import { ClientParts, type ClientKind } from '../store-client.js'
import type { Background } from '../util/lists.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { StoreSilence, type Ready } from '../waiting/readiness.js'
import { Contention, QuorumAcquisition, QuorumAcquisitions } from './acquisition.js'
import { quorumOf } from './ballot.js'
import { Master } from './master.js'
import type { QuorumHold } from './hold.js'
import { tooFewReached, type QuorumSettings, type Trouble } from './options.js'

const kind: ClientKind = {
  title: 'HoldfastQuorum',
  openChannels: (client) => new Channels(client),
  openOperations: (store) => new Operations(store),
}

/** One client's side of several independent masters: what it holds and awaits at a majority of them. */
export class QuorumClient implements Home {
  readonly parts: ClientParts
  readonly settings: QuorumSettings
  readonly clientId: string
  readonly frames: Frames
  readonly events: Events
  readonly background: Background
  readonly closing: Closing
  readonly channels: Channels | undefined
  readonly reports: EventObserver
  /** Each master has its own, and an acquisition knows them. */
  readonly silence = new StoreSilence({ doubt: undefined })
  readonly masters: readonly Master[]
  readonly storeName: string
  readonly names: Addressing
  readonly holds: HoldTable<QuorumHold>
  readonly acquisitions = new QuorumAcquisitions()
  readonly contention: Contention
  readonly steps: Lookup
  readonly registry: Lookup
  readonly operations: Lookup
  readonly readiness: Lookup
  readonly asStore = undefined
  readonly fence = undefined
  /** Set if no lease can have one. */
  readonly whyNoTokens: string | undefined
  #repairing: NodeJS.Timeout | undefined

  constructor(settings: QuorumSettings, engines: readonly LockEngine[]) {
    this.settings = settings
    const parts = new ClientParts(settings, kind)
    this.parts = parts
    this.clientId = parts.id
    this.frames = parts.frames
    this.events = parts.events
    this.background = parts.background
    this.closing = parts.closing
    this.channels = parts.channels
    this.reports = new EventObserver(parts.events)
    this.holds = new HoldTable<QuorumHold>(parts.channels)
    this.contention = new Contention(settings.watchdogTimeoutMs)
    this.masters = engines.map((engine, i) => new Master(this, engine, i + 1))
    const [first] = this.masters
    if (!first) throw new InvalidArgumentError('no masters')
    this.names = first.names
    this.storeName = `a majority of ${engines.length} masters`
    this.whyNoTokens = this.masters.every(({ steps }) => steps.raiseToken !== undefined)
      ? undefined
      : 'not all masters of this quorum can keep a fencing token'
    const lookup = new Lookup(this)
    this.steps = lookup
    this.registry = lookup
    this.operations = lookup
    this.readiness = lookup
  }

  readonly tokenAdvice = (): string => this.whyNoTokens ?? 'with a quorum, use getFencedLock'

  acquire(
    target: Target,
    request: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ): Promise<AnyAcquired | NotAcquired> {
    const n = this.parts.owners.nextNumber()
    return new QuorumAcquisition(this, n, target, request, wantsToken, wantedSince).runTraced()
  }

  /** Has holds request the masters that they are missing, and waits looked at, every third of the watchdog time. */
  beginRepairing(): void {
    if (this.#repairing) return
    this.#repairing = setInterval(() => {
      for (const hold of this.holds.all) hold.repair()
      warnOfSelfDeadlock(this.events, this.acquisitions.all, this.holds)
    }, this.settings.renewEveryMs)
    // This timer must not keep the process alive.
    this.#repairing.unref()
  }

  get waiting(): number {
    return this.acquisitions.waiting
  }

  async closeAll(drainMs: number): Promise<void> {
    const { holds, acquisitions, background } = this
    await this.closing.drain({ holds, waits: acquisitions }, drainMs)
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    await holds.drained(this.settings.memberTimeoutMs)
    clearInterval(this.#repairing)
    await Promise.all(this.masters.map((master) => master.leave()))
    await background.end()
    this.events.close()
  }
}

interface Reply {
  readonly master: Master
  readonly address: Address
  readonly inspection: Inspection
}

/** What masters know of a lock, put together, as if they were one store. Owners of votes are shown as those of acquisitions. */
export class Lookup implements HomeOperations, Ready {
  readonly #client: QuorumClient
  readonly #quorum: number
  /** By whom the next evictions of owners are. */
  readonly #evictions = new Evictions()

  constructor(client: QuorumClient) {
    this.#client = client
    this.#quorum = quorumOf(client.masters.length)
  }

  /** Its masters are checked one by one, when they are asked. */
  ready(): undefined {
    this.#client.closing.assertOpen()
    return undefined
  }

  /**
   * The holder is who may have a majority: the masters that did not reply may count it as the holder, too. Its time left is
   * that of the vote which ends the majority.
   */
  async inspect(address: Address, limit: number): Promise<Inspection> {
    const replies = await this.#inspectAll(address, limit)
    const votes = new Map<string, number[]>()
    for (const { master, inspection } of replies) {
      if (inspection.owner === '') continue
      const owner = master.ownerOf(inspection.owner)
      votes.set(owner, [...(votes.get(owner) ?? []), inspection.ttlMs])
    }
    const silent = this.#client.masters.length - replies.length
    const needed = this.#quorum - silent
    const [[owner, ttls] = ['', []]] = [...votes]
      .filter(([, held]) => held.length >= needed)
      .sort(([, held], [, others]) => others.length - held.length)
    const waiters = waitersOf(replies).filter((waiter) => waiter.owner !== owner)
    return {
      kind: 'lock',
      owner,
      count: owner === '' ? 0 : 1,
      ttlMs: owner === '' ? -2 : (ttls.sort((a, b) => b - a)[needed - 1] ?? 0),
      token: Math.max(...replies.map(({ inspection }) => inspection.token)),
      waiterCount: waiters.length,
      waiters: waiters.slice(0, limit),
    }
  }

  /** Notes who is about to evict an owner. Each master passes that on with its eviction, since the owner's votes are known only then. */
  announce(_lock: Address, owner: string, by: string): Promise<void> {
    this.#evictions.note(owner, by)
    return Promise.resolve()
  }

  /** Clients report on the votes of a master, which were given at other times than the quorum. */
  reportsOf(): Promise<() => undefined> {
    return Promise.resolve(() => undefined)
  }

  /**
   * Evicts the owner at every master that counts it as the holder. It is evicted once it can have no majority any more;
   * otherwise this rejects, and the owner may still hold the lock.
   */
  async force(address: Address, owner: string): Promise<ReleaseReply> {
    const by = this.#evictions.take(owner)
    const troubles: Trouble[] = []
    const replies = await this.#inspectAll(address, 1, troubles)
    const outcomes = await Promise.all(
      replies.map(async ({ master, address: there, inspection }): Promise<ReleaseReply['kind'] | null> => {
        if (master.ownerOf(inspection.owner) !== owner) return 'not-held'
        try {
          if (by !== undefined) await master.operations?.announce(there, inspection.owner, by)
          return (await master.steps.force(there, inspection.owner)).kind
        } catch (error) {
          troubles.push({ name: master.storeName, error: toHoldfastError(error) })
          return null
        }
      }),
    )
    const freed = outcomes.filter((outcome) => outcome !== null)
    const mayStillVote = this.#client.masters.length - freed.length
    if (mayStillVote >= this.#quorum) throw this.#tooFewReached(address, troubles)
    return { kind: freed.includes('released') ? 'released' : 'not-held' }
  }

  async find(clientId: string): Promise<ClientInfo | null> {
    const found = this.#client.masters
      .filter(({ health }) => health.isUsable)
      .map(async ({ registry }) => {
        const info = await registry.find(clientId)
        if (!info) throw new Error('not registered here')
        return info
      })
    return Promise.any(found).catch(() => null)
  }

  async #inspectAll(lock: Address, limit: number, troubles: Trouble[] = []): Promise<Reply[]> {
    const inspected = this.#client.masters.map(async (master): Promise<Reply[]> => {
      try {
        const address = master.names.locate(lock.name, 'lock')
        const { health } = master
        if (!health.isUsable && health.error) throw health.error
        await health.ready(address)
        const inspection = await master.steps.inspect(address, limit)
        return inspection.kind === 'lock' ? [{ master, address, inspection }] : []
      } catch (error) {
        troubles.push({ name: master.storeName, error: toHoldfastError(error) })
        return []
      }
    })
    const replies = (await Promise.all(inspected)).flat()
    if (replies.length >= this.#quorum) return replies
    throw this.#tooFewReached(lock, troubles)
  }

  #tooFewReached(address: Address, troubles: readonly Trouble[]): HoldfastError {
    const details = {
      masters: this.#client.masters.length,
      quorum: this.#quorum,
      engine: this.#client.settings.engine,
    }
    return tooFewReached({ kind: 'lock', address }, details, troubles, { lockName: address.name })
  }
}

/** Those who wait at any master, in the order of the first that knows them. */
function waitersOf(replies: readonly Reply[]): { readonly owner: string; readonly aliveMs: number }[] {
  const waiters = new Map<string, { readonly owner: string; readonly aliveMs: number }>()
  for (const { master, inspection } of replies) {
    for (const { owner, aliveMs } of inspection.waiters) {
      const known = master.ownerOf(owner)
      if (!waiters.has(known)) waiters.set(known, { owner: known, aliveMs })
    }
  }
  return [...waiters.values()]
}
