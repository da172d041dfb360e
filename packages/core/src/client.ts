import { SubscriberHub } from '@holdfast/pubsub'
import { Watchdog } from '@holdfast/watchdog'
import type { RenewalOutcome } from '@holdfast/watchdog'
import { nanoid } from 'nanoid'
import { Background } from './util/background.js'
import { bounded } from './util/with-timeout.js'
import { momentNow, monotonicMs } from './util/clock.js'
import { ClosedError, LockLostError } from './errors.js'
import { Events } from './events.js'
import type { WarningCode } from './events.js'
import { Frames } from './ownership/frames.js'
import type { Hold } from './holding/hold.js'
import { Holds } from './holding/hold-table.js'
import { Inbox } from './redis/inbox.js'
import { RedissonCalls } from './redis/redisson/calls.js'
import { RedissonPeers } from './redis/redisson/peers.js'
import type { Watched } from './redis/redisson/release-watch.js'
import { inboxOf, KeySpace } from './redis/keys.js'
import type { LockKeys } from './redis/keys.js'
import { readNotice } from './redis/notices.js'
import { resolveSettings } from './options.js'
import type { HoldfastOptions, Settings } from './options.js'
import { CommandLink } from './redis/connection/script-connection.js'
import { LockCommands } from './redis/commands.js'
import { openConnections } from './redis/connection/connections.js'
import { faultOf } from './redis/errors.js'
import { NativeCalls } from './redis/kinds/lock.js'
import { ServerIdentity } from './redis/server-identity.js'
import { Registry } from './redis/registry.js'
import { Replication } from './redis/replication.js'
import { sendRelease } from './holding/release.js'
import type { ReleaseMeans } from './holding/release.js'
import { checkServer } from './redis/server-check.js'
import { Upkeep } from './waiting/housekeeping.js'
import { WaitRoom } from './waiting/waiter-table.js'

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
  readonly holds = new Holds()
  readonly #hub: SubscriberHub
  readonly #upkeep: Upkeep
  #owners = 0
  #isReady = false
  #preparing: Promise<void> | undefined
  #isClosing = false

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
      onReconnect: () => {
        this.#upkeep.recover()
      },
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
        this.#upkeep.lookAfterWaits()
      },
      onDown: (cause: Error) => {
        this.room.becomeDeaf()
        this.#reportError(cause)
      },
      onError: this.#reportError,
    }
    this.#hub = new SubscriberHub({ ...hubOptions, connect: () => connections.makeSubscriber() })
    this.inbox = new Inbox({ channel: inboxOf(this.id), hub: this.#hub, onMessage: this.#onMessage })
    this.room = new WaitRoom({ maxWaiters, isHeard: (lock) => this.hears(lock) })
    this.redisson =
      redissonCalls &&
      new RedissonPeers({
        connections,
        link: this.link,
        calls: redissonCalls,
        hub: this.#hub,
        hubOptions,
        keepMs: watchdogTimeoutMs,
        waiters: this.room,
      })
    this.watchdog = new Watchdog<Hold>({ renew: this.#renew, onError: this.#reportError })
    this.releaseMeans = {
      link: this.link,
      commands: this.commands,
      servers: this.servers,
      commandTimeoutMs,
    }
    this.#upkeep = new Upkeep({
      everyMs: rhythmMs,
      link: this.link,
      commands: this.commands,
      holds: this.holds,
      room: this.room,
      watchdog: this.watchdog,
      background: this.background,
      redisson: this.redisson,
      announce: () => this.#announce(''),
    })
    if (this.settings.minReplicas > 0) this.replication = this.#openReplication(options, connectTimeoutMs)
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

  /**
   * Resolves once it does; waits over outages. Rejects when Redis refuses a channel.
   *
   * @param watched - the lock, if it is shared with Redisson
   */
  async listen(watched: Watched | undefined): Promise<void> {
    await Promise.all([this.inbox.listen(), watched?.confirmed])
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

  async close(drainMs: number): Promise<void> {
    this.#isClosing = true
    this.room.close()
    await this.holds.drained(drainMs)
    for (const hold of this.holds.all) if (!hold.isReleased) hold.lose('closed')
    const { commandTimeoutMs } = this.settings
    await Promise.all([
      bounded(this.background.settled(), commandTimeoutMs, undefined),
      this.holds.drained(commandTimeoutMs),
    ])
    this.watchdog.close()
    this.#upkeep.end()
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

  async #prepare(keys: LockKeys): Promise<void> {
    await checkServer(this.servers, keys.lock, (code, message) => {
      this.warn(code, message)
    })
    await this.#announce(this.inbox.channel)
    await this.redisson?.prepare(keys.lock)
    this.assertOpen()
    this.#upkeep.begin()
    const listening = this.inbox.listen().catch(() => undefined)
    await bounded(listening, inboxGraceMs, undefined)
    this.#isReady = true
  }

  /** @param inbox - the channel to try; '' not to */
  async #announce(inbox: string): Promise<void> {
    const { label, watchdogTimeoutMs } = this.settings
    const fault = await this.registry.register(this.id, label, inbox, watchdogTimeoutMs)
    if (fault !== '') this.warn('NOTICE_REFUSED', `this user may not publish notices: ${fault}`)
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
      this.holds.find(notice.owner)?.lose('revoked')
      this.room.find(notice.owner)?.revoked()
    }
    if (!notice || notice.kind === 'revoked' || this.holds.find(notice.owner)) return
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
