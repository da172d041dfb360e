/** What the hub uses of an ioredis `Redis` (5 or 6), so that neither version is needed at run time. */
export interface SubscriberConnection {
  /** `end` once the connection is over for good. */
  readonly status: string
  /** The socket, once there is one. */
  readonly stream?: { destroy(): unknown }
  connect(): Promise<void>
  subscribe(channel: string): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  ping(): Promise<unknown>
  disconnect(): void
  on(event: 'message', listener: (channel: string, message: string) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'close' | 'end', listener: () => void): unknown
}

const methods = ['on', 'connect', 'subscribe', 'unsubscribe', 'ping', 'disconnect'] as const

/**
 * What `connect` returned, which may have been written without types.
 *
 * @throws TypeError if it is no connection
 */
function checkConnection(given: SubscriberConnection): SubscriberConnection {
  const value: unknown = given
  const isObject = typeof value === 'object' && value !== null
  const missing = isObject && methods.find((method) => typeof Reflect.get(value, method) !== 'function')
  if (isObject && missing === undefined) return given
  const kind = isObject ? `an object without ${String(missing)}()` : value === null ? 'null' : typeof value
  throw new TypeError(`connect must return an ioredis connection, got ${kind}`)
}

/**
 * The text of an error reply, beginning with its code. Where in a script it happened is left out: Redis before 7.0 puts that before the
 * code, later ones append it. A missing permission of a script has no code before 7.2.
 */
export function replyText(text: string): string {
  const said = text
    .replace(/^(?:ERR Error running script \(call to \w+\): )?(?:@\w+: ?\d+: )*-?/, '')
    .replace(/,? script: \w+, on @\w+:\d+\.?$/, '')
    .replace(/^(?:ERR )?(?=The user executing the script can't )/, 'NOPERM ')
  // What went wrong in a script itself has no code.
  return /^[A-Z]+ /.test(said) ? said : text
}

/**
 * Whether Redis itself replied with an error, as opposed to a connection that failed. A minifier renames the class that
 * ioredis 5 uses, but every reply begins with a code in capitals, and comes with the command that it is about.
 */
export function isReplyError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return (
    error.name === 'ReplyError' ||
    ('command' in error && /^[A-Z][A-Z0-9_]*(?: |$)/.test(replyText(error.message)))
  )
}

/**
 * Whether Redis said that this client may not do this. Repeating it with the same permissions brings the same reply, so
 * the caller learns it at once instead of waiting.
 */
export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && /^(NOPERM|NOAUTH|WRONGPASS)\b/.test(replyText(error.message))
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** A connection was replaced because its server is not the one at which messages are published. */
export class MisplacedError extends Error {
  /** @param count - how many connections in a row led to another server */
  constructor(readonly count: number) {
    super('the connection for notifications leads to another server than the one for commands')
    this.name = 'MisplacedError'
  }

  /** It is not a failover under way: waits for a subscription are rejected with this. */
  get isFinal(): boolean {
    return this.count >= 10
  }
}

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

/** Receives every message of a channel. */
export type MessageListener = (message: string) => void

/** One listener; the same function may be registered several times. */
interface Registration {
  readonly listener: MessageListener
}

interface Waiter {
  /** Given up together with the wait, if the wait was for the start of this listener. */
  readonly registration: Registration | undefined
  resolve(): void
  reject(error: Error): void
}

/**
 * A channel's listeners, and how far its subscription has come on the current connection.
 *
 * | Step      | true in it                                               | left by                                   |
 * | --------- | -------------------------------------------------------- | ----------------------------------------- |
 * | pending   | not requested on this connection, or refused there       | SUBSCRIBE sent → requested                    |
 * | requested     | one SUBSCRIBE is on its way                              | answered → confirmed; refused → pending   |
 * | confirmed | messages arrive                                          | connection gone → pending                 |
 */
export class Channel {
  step: 'pending' | 'requested' | 'confirmed' = 'pending'
  /** It was confirmed on an earlier connection, and no gap has been reported yet. */
  hasGap = false

  /** Never changed, only replaced: a message goes to the listeners of that moment. */
  private registrations: readonly Registration[] = []
  private waiters: Waiter[] = []

  constructor(readonly name: string) {}

  get hasListeners(): boolean {
    return this.registrations.length > 0
  }

  /** Hands the message to every listener; what one throws goes to `onError`. */
  deliver(message: string, onError: (error: unknown) => void): void {
    for (const { listener } of this.registrations) {
      try {
        listener(message)
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Adds a listener, which stays once the subscription is confirmed and is removed if it is rejected. */
  addListener(listener: MessageListener): Promise<void> {
    const registration = { listener }
    this.registrations = [...this.registrations, registration]
    return this.whenConfirmed(registration)
  }

  whenConfirmed(registration?: Registration): Promise<void> {
    if (this.step === 'confirmed') return Promise.resolve()
    return new Promise((resolve, reject) => this.waiters.push({ registration, resolve, reject }))
  }

  confirm(): void {
    this.step = 'confirmed'
    for (const waiter of this.takeWaiters()) waiter.resolve()
  }

  /** The connection is gone. */
  reset(): void {
    if (this.step === 'confirmed') this.hasGap = true
    this.step = 'pending'
  }

  /** Ends all waits, and with them the listeners that were waiting to start. */
  rejectWaiters(error: Error): void {
    for (const waiter of this.takeWaiters()) {
      this.registrations = this.registrations.filter((registration) => registration !== waiter.registration)
      waiter.reject(error)
    }
  }

  private takeWaiters(): Waiter[] {
    const waiters = this.waiters
    this.waiters = []
    return waiters
  }
}

/** What a {@link SubscriberLink} reports. */
interface LinkEvents {
  onMessage(channel: string, message: string): void
  /** The socket closed, after {@link SubscriberLink.destroy} too. */
  onClose(cause: Error): void
}

/** One connection from its making to its end; it is never used again after a failure. */
export class SubscriberLink {
  /** Resolves when the connection has ended and its socket is gone. */
  readonly ended: Promise<void>
  /** Whether commands may be sent. */
  isReady = false

  /** The most telling error so far: a refusal, else the latest. */
  private cause: Error | undefined

  constructor(
    private readonly connection: SubscriberConnection,
    events: LinkEvents,
    /** How long Redis has to reply to one step. */
    private readonly replyTimeoutMs: number,
  ) {
    this.ended = new Promise((resolve) => connection.on('end', resolve))
    // Also keeps ioredis from printing errors without a listener.
    connection.on('error', (error) => {
      if (!isPermissionError(this.cause)) this.cause = error
    })
    connection.on('message', (channel, message) => events.onMessage(channel, message))
    connection.on('close', () => events.onClose(this.cause ?? new Error('Connection closed')))
  }

  /** Connects. Rejects with the actual reason: connect() itself only says that the connection was closed. */
  async connect(): Promise<void> {
    try {
      await answerWithin(this.connection.connect(), this.replyTimeoutMs, 'connect')
      this.isReady = true
      // What went wrong on the way up does not explain a later loss.
      this.cause = undefined
    } catch (error) {
      throw this.cause ?? toError(error)
    }
  }

  /** Resolves when Redis confirmed it. */
  async subscribe(channel: string): Promise<void> {
    await answerWithin(this.connection.subscribe(channel), this.replyTimeoutMs, 'SUBSCRIBE')
  }

  /** Resolves when Redis confirmed it. */
  async unsubscribe(channel: string): Promise<void> {
    await answerWithin(this.connection.unsubscribe(channel), this.replyTimeoutMs, 'UNSUBSCRIBE')
  }

  /** Rejects if no reply comes in time. A refusal is a reply too: a ping only checks that something responds. */
  async ping(limitMs: number): Promise<void> {
    try {
      await answerWithin(this.connection.ping(), limitMs, 'PING')
    } catch (error) {
      if (!isReplyError(error)) throw error
    }
  }

  /** Ends the connection and its messages, without waiting for the other side, which may be unresponsive. */
  destroy(): void {
    this.isReady = false
    // Disconnected after its end, ioredis would keep the process alive with a timer that waits for the end:
    // https://github.com/redis/ioredis/issues/1247
    if (this.connection.status === 'end') return
    this.connection.disconnect()
    this.connection.stream?.destroy()
  }
}

/** Settles as `answer` does, but rejects with an error that names `what` if that takes longer than `limitMs`. */
function answerWithin<A>(answer: Promise<A>, limitMs: number, what: string): Promise<A> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`No reply to ${what} within ${limitMs} ms`))
    // After a stall of the event loop the answer may lie in a socket already: let it be read first.
    const timer = setTimeout(() => setImmediate(giveUp), limitMs)
    answer.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
