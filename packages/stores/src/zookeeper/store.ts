import { clientOf, RefusedError, UnavailableError, type EngineHost } from '@holdfast/core/engine'
import {
  LastListed,
  type Entry,
  type EntryNote,
  type Listing,
  type Look,
  type NewEntry,
  type NewSize,
  type Queue,
  type QueueStore,
  type StoreEvents,
} from '../sessions/index.js'
import { Asking } from './asking.js'
import { engineName } from './client/errors.js'
import type { Stat } from './client/jute.js'
import { mode, Requests, type Operation } from './client/requests.js'
import { Session } from './client/session.js'
import { Clients } from './clients.js'
import { Directories } from './directories.js'
import { ZooKeeperLatches } from './latches.js'
import { Mailbox } from './mailbox.js'
import { readClient, readNote, writeNote } from './notes.js'
import { ZooKeeperOperator } from './operator.js'
import { fewestTicks, type Settings } from './options.js'
import { entryPrefix, ownPrefix, Paths, shrunkPath } from './paths.js'
import { Proving } from './proving.js'
import { byArrival, readDirectory } from './queue-directory.js'
import { Sizes } from './sizes.js'

const mostAttempts = 4

/** The queues of one client in ZooKeeper. */
export class ZooKeeperStore implements QueueStore {
  readonly name: string
  readonly operator: ZooKeeperOperator
  readonly marginMs: number
  readonly latches: ZooKeeperLatches
  readonly #session: Session
  readonly #asking: Asking
  readonly #requests: Requests
  readonly #paths: Paths
  readonly #directories: Directories
  readonly #mailbox: Mailbox
  readonly #clients: Clients
  readonly #proving: Proving
  readonly #sizes: Sizes
  readonly #lastListed = new LastListed(byArrival)
  #warnedOfMs: number | undefined
  /** What entries of this client say. */
  readonly #notes = new WeakMap<Entry, EntryNote>()

  constructor(settings: Settings, host: EngineHost, events: StoreEvents) {
    const { servers, root, acl, sessionTimeoutMs = host.watchdogTimeoutMs } = settings
    const now = (): number => host.now()
    this.name = `ZooKeeper at ${servers.map((server) => `${server.host}:${server.port}`).join(',')}${root}`
    this.marginMs = settings.tickMs
    this.#requests = new Requests(acl)
    this.#paths = new Paths(root)
    const { commandTimeoutMs } = host
    const refuses = (sessionMs: number): RefusedError | undefined => this.#refusalOf(sessionMs)
    this.#session = new Session(
      { ...settings, sessionTimeoutMs, commandTimeoutMs, requests: this.#requests, now, refuses },
      {
        ...events,
        connected: () => {
          this.#compareTimes(sessionTimeoutMs, host)
          events.connected()
        },
      },
    )
    const shared = {
      requests: this.#requests,
      paths: this.#paths,
      asking: (this.#asking = new Asking(this.#session, this.name, now)),
    }
    this.#directories = new Directories(shared.asking, shared.requests, shared.paths)
    const sessionMs = (): number => this.sessionMs
    const ownDeps = { ...shared, directories: this.#directories, host }
    this.#mailbox = new Mailbox({ ...ownDeps, events })
    this.#clients = new Clients({ ...ownDeps, mailbox: this.#mailbox, sessionMs })
    this.#proving = new Proving(shared.asking, shared.requests, this.#clients)
    this.#sizes = new Sizes(shared.asking, shared.requests, shared.paths, this.#directories)
    const { clientId, watchdogTimeoutMs: waitMs } = host
    this.latches = new ZooKeeperLatches({ ...shared, directories: this.#directories, clientId, waitMs })
    this.operator = new ZooKeeperOperator(shared, this.#clients, this.#mailbox)
  }

  get connectionEpoch(): number {
    return this.#session.epoch
  }

  get isUp(): boolean {
    return this.#session.isUp
  }

  get session(): string {
    return this.#session.name
  }

  get sessionMs(): number {
    return this.#session.sessionMs
  }

  get provenAt(): number {
    return this.#session.provenAt
  }

  async connect(timeoutMs: number): Promise<void> {
    await this.#asking.connect(timeoutMs)
    await this.#directories.makeBase(timeoutMs)
  }

  close(): Promise<void> {
    return this.#session.close()
  }

  async enter(queue: Queue, wanted: NewEntry, timeoutMs: number): Promise<{ own: Entry; listing: Listing }> {
    const path = this.#paths.queue(queue)
    for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
      await this.#asking.connect(timeoutMs)
      const { session } = this
      this.#directories.makeAhead(queue, timeoutMs)
      const prefix = `${path}/${entryPrefix(wanted.owner, session, wanted)}`
      const make = this.#requests.create(prefix, writeNote(wanted.note), mode.ephemeralSequential)
      // Both at once: a server carries out the requests of one connection in their order.
      const [made, listing] = await Promise.all([
        this.#asking.ask(make, timeoutMs, session),
        this.list(queue, timeoutMs),
      ])
      if (typeof made === 'object') {
        const { owner, permits, size } = wanted
        const own = { queue, owner, session, key: made.path, permits, size, token: made.stat.czxid }
        this.#notes.set(own, wanted.note)
        this.#asking.learnTime(made.stat.mtime)
        return { own, listing }
      }
      await this.#directories.makeAgain(queue, timeoutMs)
    }
    throw new UnavailableError(`${this.name}: ${path} is removed again and again`, { engine: engineName })
  }

  async list(queue: Queue, timeoutMs: number): Promise<Listing> {
    const path = this.#paths.queue(queue)
    const names = await this.#asking.ask(this.#requests.getChildren(path, false), timeoutMs)
    return this.#listing(queue, names, timeoutMs)
  }

  async find(queue: Queue, owner: string, timeoutMs: number): Promise<Entry | null> {
    await this.#asking.connect(timeoutMs)
    const path = this.#paths.queue(queue)
    // The server that replies may not have yet what another one has carried out for this client.
    const [, { entries }] = await Promise.all([
      this.#asking.ask(this.#requests.sync(path), timeoutMs),
      this.list(queue, timeoutMs),
    ])
    const prefix = `${path}/${ownPrefix(owner, this.session)}`
    const own = entries.find(({ key }) => key.startsWith(prefix))
    const found = own && (await this.#asking.ask(this.#requests.getData(own.key, false), timeoutMs))
    if (!found) return null
    const entry = { ...own, token: found.stat.czxid }
    this.#notes.set(entry, readNote(found.data))
    return entry
  }

  async update(entry: Entry, note: EntryNote, timeoutMs: number): Promise<boolean> {
    return (await this.#write(entry, note, timeoutMs)) !== null
  }

  /** A node that was written is marked. */
  async mark(entry: Entry, timeoutMs: number): Promise<number | null> {
    return (await this.#write(entry, this.#noteOf(entry), timeoutMs))?.mzxid ?? null
  }

  async shrink(entry: Entry, permits: number, timeoutMs: number): Promise<Entry | null> {
    const shrunk = { ...entry, permits }
    const note = this.#noteOf(entry)
    const [before, after] = [shrunkPath(entry), shrunkPath(shrunk)]
    const operations: Operation[] = [{ kind: 'setData', path: entry.key, data: writeNote(note) }]
    if (before !== undefined) operations.push({ kind: 'delete', path: before })
    if (after !== undefined) operations.push({ kind: 'create', path: after, data: '', mode: mode.ephemeral })
    const { errors } = await this.#asking.ask(this.#requests.multi(operations), timeoutMs)
    this.#notes.set(shrunk, note)
    if (errors.every((error) => error === 0)) return shrunk
    // It was carried out before, and got no reply, or the entry is gone.
    return (await this.mark(shrunk, timeoutMs)) === null ? null : shrunk
  }

  async remove(entry: Entry, timeoutMs: number): Promise<boolean> {
    const removing = removalOf(entry)
    if (removing.length === 1) return this.#asking.ask(this.#requests.remove(entry.key), timeoutMs)
    const { errors } = await this.#asking.ask(this.#requests.multi(removing), timeoutMs)
    return errors.every((error) => error === 0)
  }

  async evict(entry: Entry, timeoutMs: number): Promise<boolean> {
    const { owner } = entry
    const posted = await this.#mailbox.post(clientOf(owner), ['evicted', owner], removalOf(entry), timeoutMs)
    // A client that is gone, or cannot be told, is evicted all the same.
    return posted ? posted.every((error) => error === 0) : this.remove(entry, timeoutMs)
  }

  async whenGone(entry: Entry, callback: () => void, timeoutMs: number): Promise<() => void> {
    // Those of an entry, which has none: writing to it is no event then, and one that is gone leaves no watch.
    return this.#watched('children', entry.key, callback, async (fire) => {
      const names = await this.#asking.ask(this.#requests.getChildren(entry.key, true), timeoutMs)
      if (names === null) fire()
    })
  }

  async whenMarked(entry: Entry, callback: () => void, timeoutMs: number): Promise<() => void> {
    return this.#watched('data', entry.key, callback, async (fire) => {
      const found = await this.#asking.ask(this.#requests.getData(entry.key, true), timeoutMs)
      if (!found || found.stat.version > 0) fire()
    })
  }

  whenChanged(queue: Queue, callback: () => void, timeoutMs: number) {
    return this.#listed('children', queue, callback, timeoutMs)
  }

  /** A size that changes is written to the directory, too. */
  whenResized(queue: Queue, callback: () => void, timeoutMs: number) {
    return this.#listed('data', queue, callback, timeoutMs)
  }

  async #listed(kind: 'data' | 'children', queue: Queue, callback: () => void, timeoutMs: number) {
    const path = this.#paths.queue(queue)
    let names: readonly string[] | null = null
    const stop = await this.#watched(kind, path, callback, async (fire) => {
      const [found, children] = await Promise.all([
        kind === 'children' || this.#asking.ask(this.#requests.getData(path, true), timeoutMs),
        this.#asking.ask(this.#requests.getChildren(path, kind === 'children'), timeoutMs),
      ])
      names = children
      if (!found) fire()
    })
    try {
      return { listing: await this.#listing(queue, names, timeoutMs), stop }
    } catch (error) {
      stop()
      throw error
    }
  }

  prove(entries: readonly Entry[], timeoutMs: number): Promise<readonly boolean[]> {
    return this.#proving.prove(entries, timeoutMs)
  }

  async look(entry: Entry, timeoutMs: number): Promise<Look | null> {
    const clientPath = this.#paths.client(clientOf(entry.owner))
    // Any write tells the leader's clock.
    const [found, client] = await Promise.all([
      this.#asking.ask(this.#requests.getData(entry.key, false), timeoutMs),
      this.#asking.ask(this.#requests.getData(clientPath, false), timeoutMs),
      this.#proving.prove([], timeoutMs),
    ])
    if (!found) return null
    const leaderMs = this.#asking.leaderMs ?? found.stat.mtime
    const provenMs = Math.max(found.stat.mtime, client?.stat.mtime ?? 0)
    const sessionMs = (client && readClient(client.data)?.sessionMs) ?? this.sessionMs
    return {
      note: readNote(found.data),
      token: found.stat.czxid,
      leftMs: Math.max(0, provenMs + sessionMs - leaderMs),
      ageMs: Math.max(0, leaderMs - found.stat.mtime),
    }
  }

  resize(queue: Queue, size: NewSize, version: number, timeoutMs: number) {
    return this.#sizes.set(queue, size, version, timeoutMs)
  }

  unsize(queue: Queue, version: number, timeoutMs: number) {
    return this.#sizes.unset(queue, version, timeoutMs)
  }

  announce(timeoutMs: number): Promise<void> {
    return this.#clients.announce(timeoutMs)
  }

  client(clientId: string, timeoutMs: number) {
    return this.#clients.find(clientId, timeoutMs)
  }

  #refusalOf(sessionMs: number): RefusedError | undefined {
    const leastMs = fewestTicks * this.marginMs
    if (sessionMs >= leastMs) return undefined
    return new RefusedError(
      `${this.name} grants sessions of ${sessionMs} ms, and at tickMs: ${this.marginMs} they have to last ${leastMs} ms: give the ` +
        'tickTime of the servers as tickMs, or raise their maxSessionTimeout',
      { engine: engineName },
    )
  }

  /** Warns once of each length that is granted. */
  #compareTimes(wantedMs: number, host: EngineHost): void {
    const { sessionMs } = this
    if (sessionMs === wantedMs || sessionMs === this.#warnedOfMs) return
    this.#warnedOfMs = sessionMs
    const way = `see minSessionTimeout and maxSessionTimeout there, and give sessionTimeoutMs`
    host.warn(
      'SESSION_TIME',
      `${this.name} grants sessions of ${sessionMs} ms, not of ${wantedMs} ms: holds end with them; ${way}`,
    )
  }

  async #listing(queue: Queue, names: readonly string[] | null, timeoutMs: number): Promise<Listing> {
    const { entries, sizePath } = readDirectory(
      queue,
      this.#paths.queue(queue),
      names ?? [],
      this.#lastListed,
    )
    if (sizePath === undefined) return { entries, size: undefined }
    const size = await this.#sizes.read(sizePath, timeoutMs)
    // Without it another one is in force, or none.
    return size ? { entries, size } : this.list(queue, timeoutMs)
  }

  async #watched(
    kind: 'data' | 'children',
    path: string,
    callback: () => void,
    request: (fire: () => void) => Promise<void>,
  ): Promise<() => void> {
    const { fire, stop } = this.#asking.watch(kind, path, callback)
    try {
      await request(fire)
      return stop
    } catch (error) {
      stop()
      throw error
    }
  }

  async #write(entry: Entry, note: EntryNote, timeoutMs: number): Promise<Stat | null> {
    this.#notes.set(entry, note)
    const stat = await this.#asking.ask(this.#requests.setData(entry.key, writeNote(note)), timeoutMs)
    this.#asking.learnTime(stat?.mtime)
    return stat
  }

  #noteOf(entry: Entry): EntryNote {
    return this.#notes.get(entry) ?? { count: 1, leaseMs: 0 }
  }
}

/** An entry goes together with what says that it has given back permits. */
function removalOf(entry: Entry): Operation[] {
  const shrunk = shrunkPath(entry)
  const paths = shrunk === undefined ? [entry.key] : [entry.key, shrunk]
  return paths.map((path) => ({ kind: 'delete', path }))
}
