import { clientOf, type ClientInfo, type EngineHost } from '@holdfast/core/engine'
import {
  LastListed,
  type Entry,
  type EntryNote,
  type LatchStore,
  type Listing,
  type Look,
  type NewEntry,
  type NewSize,
  type Queue,
  type QueueStore,
  type StoreEvents,
  type StoreOperator,
} from '../sessions/index.js'
import { Bars } from './bars.js'
import { Client } from './client/client.js'
import { StatusError } from './client/failures.js'
import { countdown } from './countdown.js'
import { EtcdEntry, factsOf, listingOf, madeOf, valueOf, type EntryFacts } from './entries.js'
import { EntryWatches } from './entry-watches.js'
import { Inbox } from './inbox.js'
import { Keys } from './keys.js'
import { EtcdLatches } from './latches.js'
import type { EtcdSettings } from './options.js'
import { overtaken } from './errors.js'
import { EtcdOperator, infoOf } from './operator.js'
import { Proving } from './proving.js'
import { Requests } from './requests.js'
import { Rewriting } from './rewriting.js'
import { traits } from './traits.js'
import { Session } from './session.js'
import { Sizes } from './sizes.js'
import { Watches } from './watches.js'
import * as kv from './wire/kv.js'
import { byLease, leaseOf } from './wire/leases.js'

/** The queues of etcd, for one client. */
export class EtcdStore implements QueueStore {
  readonly marginMs = traits.lease.marginMs
  readonly operator: StoreOperator
  readonly latches: LatchStore
  readonly #host: EngineHost
  readonly #client: Client
  readonly #session: Session
  readonly #requests: Requests
  readonly #watches: Watches
  readonly #entryWatches: EntryWatches
  readonly #inbox: Inbox
  readonly #keys: Keys
  readonly #bars = new Bars()
  readonly #lastListed = new LastListed<EtcdEntry>((a, b) => a.token - b.token)
  readonly #rewriting: Rewriting
  readonly #proving: Proving
  readonly #sizes: Sizes
  #isAnnounced = false
  #hasWarned = false

  constructor(settings: EtcdSettings, host: EngineHost, events: StoreEvents) {
    this.#host = host
    this.#keys = new Keys(settings.prefix)
    const sessionMs = settings.sessionTimeoutMs ?? host.watchdogTimeoutMs
    this.#client = new Client(
      { ...settings, silenceMs: Math.min(Math.max(sessionMs / 4, 300), 5_000) },
      {
        connected: () => {
          this.#watches.restart()
          events.connected()
        },
        broken: () => events.broken(),
        reauthenticated: () => this.#watches.restart(),
      },
    )
    this.#session = new Session(sessionMs, {
      host,
      call: (...request) => this.#requests.call(...request),
      ended: (session) => {
        this.#bars.clear()
        this.#rewriting.clear()
        events.ended(session)
      },
      resumed: () => events.connected(),
      lengthened: (ms) => this.#warnOfLength(ms, sessionMs),
    })
    this.#requests = new Requests(settings, this.#client, this.#session)
    this.#watches = new Watches({
      open: (streamEvents) => this.#client.open('Watch/Watch', streamEvents),
      refused: (reason) => host.error(this.#requests.errorOf(new StatusError(7, reason))),
    })
    this.#entryWatches = new EntryWatches(this.#watches, this.#requests)
    this.#inbox = new Inbox({
      prefix: this.#keys.inbox(host.clientId),
      watches: this.#watches,
      call: (call, request) => this.#requests.call(call, request, host.commandTimeoutMs),
      events,
    })
    this.#rewriting = new Rewriting(this.#requests, this.#session)
    this.#proving = new Proving({
      requests: this.#requests,
      session: this.#session,
      ownKey: this.#keys.client(host.clientId),
      announceAgain: (timeoutMs) => this.#announceAgain(timeoutMs),
    })
    this.#sizes = new Sizes(this.#requests, this.#keys)
    const { clientId, watchdogTimeoutMs: waitMs } = host
    const ofLatches = { requests: this.#requests, keys: this.#keys, watches: this.#watches }
    this.latches = new EtcdLatches({ ...ofLatches, clientId, waitMs })
    this.operator = new EtcdOperator(this.#requests, this.#keys)
  }

  get name(): string {
    return `etcd at ${this.#client.origin}`
  }

  get connectionEpoch(): number {
    return this.#client.epoch
  }

  get isUp(): boolean {
    return this.#client.isUp
  }

  get session(): string {
    return this.#session.name
  }

  get sessionMs(): number {
    return this.#session.ms
  }

  get provenAt(): number {
    return this.#session.provenAt
  }

  async connect(timeoutMs: number): Promise<void> {
    try {
      await this.#client.connect(timeoutMs)
    } catch (error) {
      throw this.#requests.errorOf(error)
    }
  }

  async close(): Promise<void> {
    this.#watches.close()
    // Without a connection the session ends by itself.
    if (!this.#client.isUp) this.#client.close()
    await this.#session.close(Math.min(this.#host.commandTimeoutMs, 1_000))
    this.#client.close()
  }

  async enter(
    queue: Queue,
    { owner, permits, size, note }: NewEntry,
    timeoutMs: number,
  ): Promise<{ own: Entry; listing: Listing } | null> {
    const left = countdown(timeoutMs)
    return this.#requests.ofSession(left, async (lease) => {
      const key = this.#keys.entry(queue, owner, this.session)
      const facts: EntryFacts = { permits, size, note, isMarked: false }
      const list = kv.thenRange(this.#listOf(queue))
      const conditions = [kv.isAbsent(key), this.#bars.condition(this.#keys.gone(owner))]
      const put = kv.thenPut(kv.putOf(key, valueOf(facts), lease))
      const reply = await this.#requests.txn(kv.txnOfOperations(conditions, [put, list], [list]), left())
      const listing = this.#listing(queue, kv.rangeAt(reply, reply.isDone ? 1 : 0))
      const own = listing.entries.find((entry) => madeOf(entry).key === key)
      if (!own) {
        if (this.#bars.isBarred(this.#keys.gone(owner))) return null
        throw overtaken(owner)
      }
      if (reply.isDone) this.#rewriting.note(own, { facts, writtenAt: reply.revision })
      return { own, listing }
    })
  }

  async list(queue: Queue, timeoutMs: number): Promise<Listing> {
    return this.#listing(queue, await this.#requests.range(this.#listOf(queue), timeoutMs))
  }

  /** If it is not there, requests of before that arrive later are refused. */
  async find(queue: Queue, owner: string, timeoutMs: number): Promise<Entry | null> {
    if (this.session === '') return null
    const left = countdown(timeoutMs)
    return this.#requests.ofSession(left, async (lease) => {
      const key = this.#keys.entry(queue, owner, this.session)
      const gone = this.#keys.gone(owner)
      const fence = kv.thenPut(kv.putOf(gone, '', lease))
      const read = kv.thenRange(kv.rangeOfKey(key))
      const reply = await this.#requests.txn(kv.txnOfOperations([kv.isAbsent(key)], [fence], [read]), left())
      if (reply.isDone) {
        this.#bars.fenced(gone, reply.revision)
        return null
      }
      const { keys, revision } = kv.rangeAt(reply, 0)
      return keys[0] ? new EtcdEntry(queue, keys[0], revision) : null
    })
  }

  async update(entry: Entry, note: EntryNote, timeoutMs: number): Promise<boolean> {
    return (await this.#rewriting.rewrite(entry, (facts) => ({ ...facts, note }), timeoutMs)) !== null
  }

  async mark(entry: Entry, timeoutMs: number): Promise<number | null> {
    const marked = await this.#rewriting.rewrite(entry, (facts) => ({ ...facts, isMarked: true }), timeoutMs)
    return marked?.writtenAt ?? null
  }

  shrink(entry: Entry, permits: number, timeoutMs: number): Promise<Entry | null> {
    return this.#rewriting.rewrite(entry, (facts) => ({ ...facts, permits, isMarked: true }), timeoutMs)
  }

  async remove(entry: Entry, timeoutMs: number): Promise<boolean> {
    const { key, createdAt } = madeOf(entry)
    const request = kv.txnOfOperations([kv.isCreatedAt(key, createdAt)], [kv.thenDelete(key)])
    const { isDone } = await this.#requests.txn(request, timeoutMs)
    this.#rewriting.forget(entry)
    return isDone
  }

  async bar(_queue: Queue, owner: string, keepMs: number, timeoutMs: number): Promise<void> {
    // What an ended session sent is refused for that.
    if (this.session === '') return
    const left = countdown(timeoutMs)
    await this.#requests.ofSession(left, async (lease) => {
      const gone = this.#keys.gone(owner)
      const now = this.#host.now()
      const expired = this.#bars.expired(now).map(kv.thenDelete)
      await this.#requests.txn(
        kv.txnOfOperations([], [kv.thenPut(kv.putOf(gone, '', lease)), ...expired]),
        left(),
      )
      this.#bars.barred(gone, now + keepMs)
    })
  }

  async evict(entry: Entry, timeoutMs: number): Promise<boolean> {
    const left = countdown(timeoutMs)
    return this.#requests.ofSession(left, async (lease) => {
      const { key, createdAt } = madeOf(entry)
      const tell = kv.putOf(this.#keys.letter(clientOf(entry.owner)), Inbox.eviction(entry.owner), lease)
      const operations = [kv.thenDelete(key), kv.thenPut(tell)]
      return (
        await this.#requests.txn(kv.txnOfOperations([kv.isCreatedAt(key, createdAt)], operations), left())
      ).isDone
    })
  }

  whenGone(entry: Entry, callback: () => void, timeoutMs: number): Promise<() => void> {
    return Promise.resolve(this.#entryWatches.whenGone(entry, callback, timeoutMs))
  }

  whenMarked(entry: Entry, callback: () => void, timeoutMs: number): Promise<() => void> {
    if (entry instanceof EtcdEntry && entry.facts.isMarked) {
      const soon = setImmediate(callback)
      return Promise.resolve(() => clearImmediate(soon))
    }
    return Promise.resolve(this.#entryWatches.whenMarked(entry, callback, timeoutMs))
  }

  whenChanged(queue: Queue, callback: () => void, timeoutMs: number) {
    return this.#listed(queue, this.#keys.queue(queue), callback, timeoutMs)
  }

  whenResized(queue: Queue, callback: () => void, timeoutMs: number) {
    return this.#listed(queue, this.#keys.size(queue), callback, timeoutMs)
  }

  prove(entries: readonly Entry[], timeoutMs: number): Promise<readonly boolean[]> {
    return this.#proving.prove(entries, timeoutMs)
  }

  async look(entry: Entry, timeoutMs: number): Promise<Look | null> {
    const left = countdown(timeoutMs)
    const { key, createdAt } = madeOf(entry)
    const { keys } = await this.#requests.range(kv.rangeOfKey(key), left())
    const [found] = keys
    if (found?.createdAt !== createdAt) return null
    const lease = leaseOf(await this.#requests.call('Lease/LeaseTimeToLive', byLease(found.lease), left()))
    const { note } = factsOf(found.value)
    // etcd has no clock to say when the note was written.
    return { note, token: createdAt, leftMs: Math.max(0, lease.ttlS) * 1_000, ageMs: 0 }
  }

  resize(queue: Queue, size: NewSize, version: number, timeoutMs: number): Promise<boolean> {
    return this.#sizes.set(queue, size, version, timeoutMs)
  }

  unsize(queue: Queue, version: number, timeoutMs: number): Promise<void> {
    return this.#sizes.unset(queue, version, timeoutMs)
  }

  async announce(timeoutMs: number): Promise<void> {
    const left = countdown(timeoutMs)
    await this.#requests.ofSession(left, async (lease) => {
      const { clientId, client } = this.#host
      const put = kv.putOf(this.#keys.client(clientId), JSON.stringify(client), lease)
      const { revision } = kv.headerOf(await this.#requests.call('KV/Put', put, left()))
      this.#inbox.open(revision + 1)
      this.#isAnnounced = true
    })
  }

  async client(clientId: string, timeoutMs: number): Promise<ClientInfo | null> {
    const { keys } = await this.#requests.range(kv.rangeOfKey(this.#keys.client(clientId)), timeoutMs)
    return keys[0] ? infoOf(keys[0].value) : null
  }

  /** Lists a queue, and watches the keys that begin like this. */
  async #listed(
    queue: Queue,
    prefix: string,
    callback: () => void,
    timeoutMs: number,
  ): Promise<{ listing: Listing; stop: () => void }> {
    const reply = await this.#requests.range(this.#listOf(queue), timeoutMs)
    const stop = this.#watches.add({ key: prefix, end: kv.endOf(prefix) }, reply.revision + 1, () => {
      stop()
      callback()
    })
    return { listing: this.#listing(queue, reply), stop }
  }

  async #announceAgain(timeoutMs: number): Promise<void> {
    if (this.#isAnnounced) await this.announce(timeoutMs)
  }

  #warnOfLength(ms: number, wantedMs: number): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#host.warn(
      'SESSION_TIME',
      `${this.name} grants sessions of ${ms} ms, not of ${wantedMs} ms: what a client holds that dies is free only after that; ` +
        'see --election-timeout there, and give sessionTimeoutMs',
    )
  }

  #listing(queue: Queue, reply: kv.RangeReply): Listing {
    return listingOf(queue, this.#keys.queue(queue), reply, this.#lastListed)
  }

  /** Keys alone say all there is to know of the entries of a lock. */
  #listOf(queue: Queue): Buffer {
    return kv.queueOfPrefix(this.#keys.queue(queue), queue.object === 'lock')
  }
}
