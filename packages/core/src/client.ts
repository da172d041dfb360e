import { SubscriberHub } from '@holdfast/pubsub'
import { Watchdog } from '@holdfast/watchdog'
import type { RenewalOutcome } from '@holdfast/watchdog'
import { nanoid } from 'nanoid'
import type { Acquisition } from './acquisition.js'
import { Background } from './background.js'
import { bounded } from './bounded.js'
import { momentNow, monotonicMs } from './clock.js'
import { ClosedError, LockLostError, RedisRefusedError } from './errors.js'
import { Events } from './events.js'
import type { WarningCode } from './events.js'
import { Frames } from './frames.js'
import type { Hold } from './hold.js'
import { Inbox } from './inbox.js'
import { RedissonCalls } from './interop/redisson-calls.js'
import { RedissonPeers } from './interop/redisson-peers.js'
import { inboxOf, KeySpace } from './keys.js'
import type { LockKeys } from './keys.js'
import { readNotice } from './notices.js'
import { resolveSettings } from './options.js'
import type { HoldfastOptions, Settings } from './options.js'
import { OwnerTable } from './owner-table.js'
import { refreshPlaces } from './places.js'
import { CommandLink } from './redis/command-link.js'
import { LockCommands } from './redis/commands.js'
import { openConnections } from './redis/connections.js'
import { faultOf, hasCode } from './redis/faults.js'
import { NativeCalls } from './redis/lock-calls.js'
import { assertUsable, ServerIdentity } from './redis/server-identity.js'
import { Registry } from './registry.js'
import { Replication } from './replication.js'
import { sendRelease } from './release.js'
import type { ReleaseMeans } from './release.js'
import { WaitRoom } from './wait-room.js'

/** At first use the inbox may take this long before an ask goes out that cannot queue yet. */
const inboxGraceMs = 200

/** The working parts behind one `Holdfast`, put together; all its locks share them. */
export class Client {
  readonly id = nanoid()
  readonly settings: Settings
  readonly frames = new Frames()
  readonly events = new Events((fn) => this.frames.outside(fn))
  readonly keySpace: KeySpace
  readonly link: CommandLink
  readonly commands: LockCommands
  readonly servers: ServerIdentity
  readonly registry: Registry
  readonly inbox: Inbox
  readonly room: WaitRoom
  readonly watchdog: Watchdog<Hold>
  readonly background: Background
  readonly releaseMeans: ReleaseMeans
  /** Only with `interop: 'redisson'`. */
  readonly redisson: RedissonPeers | undefined
  /** Only with `minReplicas`. */
  readonly replication: Replication | undefined
  readonly counts = { acquired: 0, released: 0, lost: 0 }
  readonly #hub: SubscriberHub
  readonly #holds = new OwnerTable<Hold>()
  #owners = 0
  #isReady = false
  #preparing: Promise<void> | undefined
  #rhythm: NodeJS.Timeout | undefined
  #isRefreshing = false
  #isClosing = false
  #onDrained: (() => void) | undefined

  constructor(options: HoldfastOptions) {
    this.settings = resolveSettings(options)
    const { prefix, interop, rhythmMs, commandTimeoutMs, watchdogTimeoutMs, maxWaiters } = this.settings
    const connectTimeoutMs = Math.min(commandTimeoutMs, 10_000)
    const connections = openConnections(options.redis, this.id, connectTimeoutMs)
    this.keySpace = new KeySpace(connections.keyPrefix, prefix, interop)
    this.background = new Background(this.#reportError)
    this.link = new CommandLink(connections, {
      timeoutMs: commandTimeoutMs,
      onBreak: () => {
        this.servers.forget()
      },
      onReconnect: this.#recover,
      onError: this.#reportError,
    })
    const inboxesCanBeCounted = connections.cluster === null
    const redissonCalls = interop && new RedissonCalls(inboxesCanBeCounted)
    const calls = redissonCalls ?? new NativeCalls(inboxesCanBeCounted)
    this.commands = new LockCommands(this.link, calls, (fault) => {
      this.warn('NOTICE_REFUSED', `Redis refused to publish a notice: ${fault}`)
    })
    this.servers = new ServerIdentity(this.link)
    this.registry = new Registry(this.link, this.keySpace)
    const hubOptions = {
      pingEveryMs: rhythmMs,
      onGap: () => {
        this.#lookAfterWaits()
      },
      onDown: (cause: Error) => {
        this.room.becomeDeaf()
        this.#reportError(cause)
      },
      onError: this.#reportError,
    }
    this.#hub = new SubscriberHub({ ...hubOptions, connect: () => connections.makeSubscriber() })
    this.inbox = new Inbox({ channel: inboxOf(this.id), hub: this.#hub, onMessage: this.#onMessage })
    this.redisson =
      redissonCalls &&
      new RedissonPeers({
        connections,
        link: this.link,
        calls: redissonCalls,
        hub: this.#hub,
        hubOptions,
        keepMs: watchdogTimeoutMs,
      })
    this.room = new WaitRoom({ maxWaiters, isHeard: (lock) => this.hears(lock) })
    this.watchdog = new Watchdog<Hold>({ renew: this.#renew, onError: this.#reportError })
    this.releaseMeans = {
      link: this.link,
      commands: this.commands,
      servers: this.servers,
      commandTimeoutMs,
    }
    if (this.settings.minReplicas > 0) this.replication = this.#openReplication(options, connectTimeoutMs)
  }

  get holdCount(): number {
    return this.#holds.size
  }

  nextOwner(): number {
    return ++this.#owners
  }

  assertOpen(keys?: LockKeys): void {
    if (this.#isClosing) throw new ClosedError('the client is closed', { lockName: keys?.name })
  }

  warn(code: WarningCode, message: string): void {
    this.events.emit('warning', { code, message })
  }

  /** Runs the first-use checks; `undefined` once they have passed. */
  ready(keys: LockKeys): Promise<void> | undefined {
    if (this.#isReady) return undefined
    this.#preparing ??= this.#prepare(keys).finally(() => {
      this.#preparing = undefined
    })
    return this.#preparing
  }

  /** Whether word of a lock's release would reach its waiters here now, as far as we know. */
  hears(lock: string): boolean {
    return this.inbox.isHeard && (this.redisson?.isHeard(lock) ?? true)
  }

  /** Resolves once it does; waits over outages. Rejects when Redis refuses a channel. */
  async listen(acquisition: Acquisition): Promise<void> {
    await Promise.all([this.inbox.listen(), this.redisson?.enter(acquisition)])
  }

  /** How long a late ask is refused: until whatever it could bring about would have ended by itself. */
  goneMs(leaseMs: number): number {
    return Math.max(leaseMs, this.settings.watchdogTimeoutMs) + 2 * this.settings.commandTimeoutMs
  }

  /**
   * Gives up an owner's hold and place, in the background and for as long as either could exist: a place lives for a
   * watchdog time, a hold for the lease that was asked for.
   */
  giveUp(keys: LockKeys, owner: string, inDoubt: boolean, leaseMs: number): void {
    const goneMs = this.goneMs(leaseMs)
    this.background.run(
      sendRelease(this.releaseMeans, {
        keys,
        owner,
        count: 0,
        goneMs: inDoubt ? goneMs : 0,
        until: monotonicMs() + goneMs,
        runId: undefined,
      }),
    )
  }

  addHold(hold: Hold): void {
    this.counts.acquired++
    this.#holds.add(hold)
  }

  removeHold(hold: Hold, end: 'released' | 'lost'): void {
    if (!this.#holds.delete(hold)) return
    this.counts[end]++
    if (this.#holds.size === 0) this.#onDrained?.()
  }

  findHold(owner: string): Hold | undefined {
    return this.#holds.find(owner)
  }

  async close(drainMs: number): Promise<void> {
    this.#isClosing = true
    this.room.close()
    await this.#drained(drainMs)
    for (const hold of this.#holds.all) if (!hold.isReleased) hold.lose('closed')
    const { commandTimeoutMs } = this.settings
    await Promise.all([
      bounded(this.background.settled(), commandTimeoutMs, undefined),
      this.#drained(commandTimeoutMs),
    ])
    this.watchdog.close()
    clearInterval(this.#rhythm)
    await this.redisson?.close()
    await Promise.all([this.#hub.close(), this.link.close(), this.replication?.close()])
    await this.background.settled()
  }

  #openReplication({ redis }: HoldfastOptions, connectTimeoutMs: number): Replication {
    const { commandTimeoutMs, minReplicas, replicaTimeoutMs } = this.settings
    // A WAIT is silent for as long as replicas are behind.
    const connections = openConnections(redis, this.id, connectTimeoutMs, { socketTimeout: undefined })
    const link = new CommandLink(connections, {
      timeoutMs: commandTimeoutMs,
      // Holds and waits go by the other connection.
      onBreak: () => undefined,
      onReconnect: () => undefined,
      onError: this.#reportError,
    })
    return new Replication({
      link,
      commands: this.commands,
      servers: this.servers,
      wanted: minReplicas,
      timeoutMs: replicaTimeoutMs,
    })
  }

  async #drained(drainMs: number): Promise<void> {
    if (this.#holds.size === 0 || drainMs === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve
      timer = setTimeout(resolve, drainMs)
    })
    clearTimeout(timer)
  }

  async #prepare(keys: LockKeys): Promise<void> {
    await this.#checkServer(keys)
    await this.#register(this.inbox.channel)
    await this.redisson?.prepare(keys.lock)
    this.assertOpen()
    this.#rhythm ??= setInterval(this.#onRhythm, this.settings.rhythmMs)
    // Not a reason to stay alive: without connections there is nothing to refresh.
    this.#rhythm.unref()
    const listening = this.inbox.listen().catch(() => undefined)
    await bounded(listening, inboxGraceMs, undefined)
    this.#isReady = true
  }

  async #checkServer(keys: LockKeys): Promise<void> {
    try {
      const info = await this.servers.read(keys.lock)
      assertUsable(info)
      if (info.evictionPolicy !== undefined && info.evictionPolicy !== 'noeviction') {
        const text = `maxmemory-policy is ${info.evictionPolicy}: Redis may evict locks; set it to noeviction`
        this.warn('EVICTION_POLICY', text)
      }
    } catch (error) {
      const fault = faultOf(error)
      const mayOnlyLackInfo = fault instanceof RedisRefusedError && fault.cause !== undefined
      if (!mayOnlyLackInfo || hasCode(fault.cause, 'NOAUTH') || hasCode(fault.cause, 'WRONGPASS')) throw fault
      this.warn('SERVER_UNKNOWN', `version, role and eviction policy could not be read: ${fault.message}`)
    }
  }

  async #register(inbox: string): Promise<void> {
    const { label, watchdogTimeoutMs } = this.settings
    const fault = await this.registry.register(this.id, label, inbox, watchdogTimeoutMs)
    if (fault !== '') this.warn('NOTICE_REFUSED', `this user may not publish notices: ${fault}`)
  }

  readonly #onRhythm = (): void => {
    if (this.#holds.size === 0 && this.room.size === 0) return
    this.background.run(this.#register(''))
    this.redisson?.relocate()
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    const refreshed = this.#refresh().finally(() => {
      this.#isRefreshing = false
    })
    this.background.run(refreshed)
  }

  #refresh(): Promise<void> {
    return refreshPlaces(this.room, this.link, this.commands)
  }

  /** After a break everything may be different: holders and waiters ask at once. */
  readonly #recover = (): void => {
    this.watchdog.renewNow()
    this.#lookAfterWaits()
  }

  /**
   * Messages or replies may have been missed. Those in a queue ask together how they stand: after a fail-over a server may
   * have thousands of clients that all have to know.
   */
  #lookAfterWaits(): void {
    this.room.wakeUnqueued()
    const refreshed = this.#refresh().catch((error: unknown) => {
      this.room.wakeQueued()
      throw error
    })
    this.background.run(refreshed)
  }

  readonly #renew = async (holds: readonly Hold[]): Promise<readonly RenewalOutcome[]> => {
    const sentAt = momentNow()
    const renewals = holds.map((hold) => hold.nextRenewal(sentAt))
    const { commandTimeoutMs, rhythmMs } = this.settings
    const answers = await this.commands.renew(renewals, Math.min(commandTimeoutMs, rhythmMs))
    return answers.map((answer) => (answer === 'renewed' ? 'renewed' : 'lost'))
  }

  readonly #onMessage = (message: string): void => {
    const notice = readNotice(message)
    if (notice?.kind === 'revoked') {
      this.#holds.find(notice.owner)?.lose('revoked')
      this.room.find(notice.owner)?.revoked()
    }
    if (!notice || notice.kind === 'revoked' || this.#holds.find(notice.owner)) return
    const acquisition = this.room.find(notice.owner)
    if (acquisition) {
      if (notice.kind === 'granted') acquisition.granted(notice)
      else acquisition.wake()
      return
    }
    const keys = this.keySpace.ofKey(notice.lock)
    if (keys) this.giveUp(keys, notice.owner, false, notice.kind === 'granted' ? notice.leaseMs : 0)
  }

  readonly #reportError = (error: unknown): void => {
    if (error instanceof ClosedError || error instanceof LockLostError) return
    this.events.emit('error', faultOf(error))
  }
}
