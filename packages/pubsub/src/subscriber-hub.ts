import { answerWithin } from './answer-within.js'
import { Channel, type MessageListener } from './channel.js'
import { checkConnection, type SubscriberConnection } from './connection.js'
import { isPermissionError, MisplacedError, toError } from './errors.js'
import { SubscriberLink } from './subscriber-link.js'

/** Doubles with each attempt that fails; drawn at random, so that the clients of a server that comes back do not arrive together. */
const reconnectAfterMs = (failures: number): number =>
  Math.min(100 * 2 ** (failures - 1), 2_000) * (0.5 + Math.random() / 2)

/**
 * One address may lead to several servers: connections that were opened before a failover stay at a server that is a replica now, and
 * a balancer may spread them from the start. A subscriber at a replica hears what the master publishes, but the master does not count it.
 */
export interface SubscriptionProbe {
  readonly channel: string
  /**
   * Whether the server at which messages are published knows a subscriber of the channel. Asked once the channel is subscribed on a new
   * connection, and by {@link SubscriberHub.verify}; if it resolves to false, the connection is replaced. A rejection says nothing.
   */
  isReached(): Promise<boolean>
}

/** How a {@link SubscriberHub} connects, and what it reports. Callbacks that throw break nothing. */
export interface SubscriberHubOptions {
  /**
   * Makes a fresh connection that is not connected yet and does not reconnect by itself: an ioredis `Redis` with
   * `lazyConnect: true` and `retryStrategy: null`. The hub owns it and ends it. If this throws or returns something else, the
   * attempt has failed.
   */
  connect(): SubscriberConnection

  /**
   * How often the connection is tried, in milliseconds, above 0.
   *
   * A link may go mute without being closed: a dropped route, a frozen server. It counts as mute when a ping is
   * not answered within this time or `replyTimeoutMs`, whichever is shorter, and is then replaced.
   */
  pingEveryMs: number

  /**
   * How long Redis has to reply to one step, in milliseconds, above 0: connecting with its handshake, subscribing. The link
   * is replaced when it does not.
   *
   * @defaultValue 5_000
   */
  replyTimeoutMs?: number

  /** A channel of which another connection can tell whether messages reach its subscribers. */
  probe?: SubscriptionProbe | undefined

  /**
   * Messages may have been missed: the connection was lost and replaced, and every channel is subscribed again,
   * so that whatever is read from elsewhere now is followed by all later messages.
   */
  onGap?(): void

  /**
   * The connection was lost, or an attempt to make it failed; called for each failure. The hub goes on trying,
   * after 50 to 100 ms at first and up to 2 s later, as long as there are channels.
   */
  onDown?(cause: Error): void

  /** A listener or a callback threw, or Redis refused to renew a subscription that it had granted before. */
  onError?(error: Error): void
}

/**
 * Delivers the messages of any number of channels over one connection, and says when some may be missing.
 *
 * | State      | true in it                                                        | left by                                                |
 * | ---------- | ----------------------------------------------------------------- | ------------------------------------------------------ |
 * | idle       | no connection, no channel that needs one                          | subscribe() → connecting                               |
 * | connecting | a connection is being made, then all channels are subscribed on it | all answered → up; failed, or no reply in time → waiting |
 * | up         | messages arrive; pings go out                                     | lost or mute → waiting                                 |
 * | waiting    | no connection; a timer runs to the next attempt                   | timer → connecting; no channel left → idle             |
 * | closed     | nothing is left                                                   |                                                        |
 *
 * A loss or failure leads to idle instead of waiting when there is no channel (any more). close() ends every state.
 * Timers of the hub do not keep the process alive; its socket does, until close().
 */
export class SubscriberHub {
  private state: 'idle' | 'connecting' | 'up' | 'waiting' | 'closed' = 'idle'
  private readonly channels = new Map<string, Channel>()
  private readonly ending = new Set<Promise<void>>()
  private link: SubscriberLink | undefined
  private failures = 0
  /** How many connections in a row led to another server. */
  private misplaced = 0
  /** The next ping while up, the next attempt while waiting. */
  private timer: NodeJS.Timeout | undefined
  private closing: Promise<void> | undefined
  private readonly replyTimeoutMs: number

  /** Does not connect yet. @throws RangeError if `pingEveryMs` is not above 0 */
  constructor(private readonly options: SubscriberHubOptions) {
    if (typeof (options as Partial<SubscriberHubOptions> | undefined)?.connect !== 'function')
      throw new TypeError('SubscriberHub needs options with connect, a function that returns a connection')
    if (!(options.pingEveryMs > 0)) {
      throw new RangeError(`pingEveryMs must be above 0, got ${options.pingEveryMs}`)
    }
    this.replyTimeoutMs = options.replyTimeoutMs ?? 5_000
    if (!(this.replyTimeoutMs > 0)) {
      throw new RangeError(`replyTimeoutMs must be above 0, got ${this.replyTimeoutMs}`)
    }
  }

  /**
   * Has `listener` called with every message of the channel. Resolves once Redis has confirmed the subscription,
   * however long an outage takes; from then on the listener stays through any number of reconnections.
   * Any number of listeners share one subscription.
   *
   * Rejects, and drops the listener, when Redis refuses (NOPERM, NOAUTH, WRONGPASS), when {@link MisplacedError.isFinal | too many
   * connections} led to another server than that of the probe, when the channel is unsubscribed in the meantime, and when the hub is or gets closed.
   */
  subscribe(channel: string, listener: MessageListener): Promise<void> {
    if (this.state === 'closed') return Promise.reject(closedError())
    const entry = this.channels.get(channel) ?? new Channel(channel)
    this.channels.set(channel, entry)
    const confirmed = entry.addListener(listener)
    if (this.state === 'idle') void this.connect()
    else if (this.link?.isReady === true) void this.subscribeOn(this.link, entry)
    return confirmed
  }

  /** Whether Redis has confirmed the subscription on the connection that is up now. */
  isSubscribed(channel: string): boolean {
    return this.channels.get(channel)?.step === 'confirmed'
  }

  /**
   * Resolves when {@link SubscriberHub.isSubscribed} is true: now, or at the next confirmation. Rejects as
   * {@link SubscriberHub.subscribe} does, and at once for a channel without a subscription.
   */
  whenSubscribed(channel: string): Promise<void> {
    if (this.state === 'closed') return Promise.reject(closedError())
    const entry = this.channels.get(channel)
    return entry?.whenConfirmed() ?? Promise.reject(new Error(`No subscription to ${channel}`))
  }

  /**
   * Asks the probe, and replaces a connection on which its channel was subscribed by then if no message reaches it. Rejects as the
   * probe does.
   */
  async verify(): Promise<void> {
    const { probe } = this.options
    if (probe === undefined) return
    const link = this.isSubscribed(probe.channel) ? this.link : undefined
    const isReached = await probe.isReached()
    if (link !== undefined) this.judge(link, isReached)
  }

  /**
   * Drops all listeners of the channel at once. Resolves when Redis has confirmed it, or has no connection of ours
   * left that could be subscribed. Never rejects; does nothing for a channel without listeners.
   */
  async unsubscribe(channel: string): Promise<void> {
    const entry = this.channels.get(channel)
    if (entry === undefined) return
    this.channels.delete(channel)
    entry.rejectWaiters(new Error(`Unsubscribed from ${channel}`))
    if (this.state === 'waiting' && this.channels.size === 0) this.waitOrIdle()
    const { link } = this
    if (link === undefined || entry.step === 'pending') return
    try {
      await link.unsubscribe(channel)
    } catch (error) {
      this.drop(link, toError(error))
    }
  }

  /**
   * Ends the connection and drops all listeners; waits for a subscription are rejected. Resolves when no timer and
   * no socket is left. May be called repeatedly.
   */
  close(): Promise<void> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  /** Never rejects. */
  private async connect(): Promise<void> {
    this.state = 'connecting'
    let link: SubscriberLink
    try {
      link = this.makeLink()
    } catch (error) {
      this.fail(toError(error))
      return
    }
    this.link = link
    try {
      await link.connect()
    } catch (error) {
      this.drop(link, toError(error))
      return
    }
    await Promise.all(Array.from(this.channels.values(), (channel) => this.subscribeOn(link, channel)))
    if (this.link !== link) return
    this.state = 'up'
    this.failures = 0
    this.schedulePing(link)
    this.reportGap()
  }

  private makeLink(): SubscriberLink {
    const link: SubscriberLink = new SubscriberLink(
      checkConnection(this.options.connect()),
      {
        onMessage: (channel, message) => this.deliver(channel, message),
        onClose: (cause) => this.drop(link, cause),
      },
      this.replyTimeoutMs,
    )
    this.ending.add(link.ended)
    void link.ended.then(() => this.ending.delete(link.ended))
    return link
  }

  /** Sends SUBSCRIBE unless that was done already. One per channel: a refusal then hits only the one it is for. */
  private async subscribeOn(link: SubscriberLink, channel: Channel): Promise<void> {
    if (this.link !== link || channel.step !== 'pending') return
    channel.step = 'requested'
    try {
      await link.subscribe(channel.name)
    } catch (error) {
      if (isPermissionError(error)) this.refuse(link, channel, toError(error))
      else this.drop(link, toError(error))
      return
    }
    const { probe } = this.options
    if (probe?.channel === channel.name) this.judge(link, await probe.isReached().catch(() => true))
    if (this.link !== link || this.channels.get(channel.name) !== channel) return
    channel.confirm()
    if (this.state === 'up') this.reportGap()
  }

  /** Replaces a connection that no message reaches, unless that has been done. */
  private judge(link: SubscriberLink, isReached: boolean): void {
    if (this.link !== link) return
    if (isReached) this.misplaced = 0
    else this.drop(link, new MisplacedError(++this.misplaced))
  }

  private refuse(link: SubscriberLink, channel: Channel, error: Error): void {
    if (this.link !== link || this.channels.get(channel.name) !== channel) return
    channel.step = 'pending'
    this.rejectWaiters(channel, error)
    if (this.channels.has(channel.name)) this.report(error)
  }

  /** Ends the waits for a channel, and forgets it unless older listeners stay. */
  private rejectWaiters(channel: Channel, error: Error): void {
    channel.rejectWaiters(error)
    if (!channel.hasListeners) this.channels.delete(channel.name)
  }

  /** Drops a connection that failed. A second call for the same one does nothing. */
  private drop(link: SubscriberLink, cause: Error): void {
    if (this.link !== link) return
    this.link = undefined
    link.destroy()
    this.fail(cause)
  }

  /** There is no connection (any more). */
  private fail(cause: Error): void {
    this.failures += 1
    for (const channel of this.channels.values()) channel.reset()
    if (isPermissionError(cause) || (cause instanceof MisplacedError && cause.isFinal)) {
      for (const channel of [...this.channels.values()]) this.rejectWaiters(channel, cause)
    }
    this.waitOrIdle()
    this.guard(() => this.options.onDown?.(cause))
  }

  private waitOrIdle(): void {
    clearTimeout(this.timer)
    if (this.channels.size === 0) {
      this.state = 'idle'
      return
    }
    this.state = 'waiting'
    this.timer = setTimeout(() => void this.connect(), reconnectAfterMs(this.failures))
    // This timer must not keep the process alive: nothing else may be left in it.
    this.timer.unref()
  }

  private schedulePing(link: SubscriberLink): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.ping(link), this.options.pingEveryMs)
    // This timer must not keep the process alive; the socket does.
    this.timer.unref()
  }

  private async ping(link: SubscriberLink): Promise<void> {
    try {
      await link.ping(Math.min(this.options.pingEveryMs, this.replyTimeoutMs))
    } catch (error) {
      this.drop(link, toError(error))
      return
    }
    if (this.link !== link) return
    this.schedulePing(link)
    // Channels that were refused on this connection: permissions may have been restored.
    for (const channel of this.channels.values()) void this.subscribeOn(link, channel)
  }

  private deliver(channel: string, message: string): void {
    this.channels.get(channel)?.deliver(message, this.onListenerError)
  }

  private reportGap(): void {
    let hasGap = false
    for (const channel of this.channels.values()) {
      if (channel.step !== 'confirmed' || !channel.hasGap) continue
      channel.hasGap = false
      hasGap = true
    }
    if (hasGap) this.guard(() => this.options.onGap?.())
  }

  private async shutDown(): Promise<void> {
    this.state = 'closed'
    clearTimeout(this.timer)
    for (const channel of this.channels.values()) channel.rejectWaiters(closedError())
    this.channels.clear()
    const { link } = this
    this.link = undefined
    link?.destroy()
    try {
      await answerWithin(Promise.all(this.ending), this.replyTimeoutMs, 'disconnect')
    } catch (error) {
      this.report(toError(error))
    }
  }

  private guard(callback: () => void): void {
    try {
      callback()
    } catch (error) {
      this.report(toError(error))
    }
  }

  private readonly onListenerError = (error: unknown): void => this.report(toError(error))

  private report(error: Error): void {
    try {
      this.options.onError?.(error)
    } catch {
      // No one is left to notify, and throwing here would end the process.
    }
  }
}

function closedError(): Error {
  return new Error('The subscriber hub is closed')
}
