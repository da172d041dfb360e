import type { AskCredentials } from '../../index.js'
import { credentialsBy, credentialsOf } from './credentials.js'
import type { Credentials, CurrentCredentials } from './credentials.js'
import { ConnectionLostError, ReplyError, toError } from './errors.js'
import type { NodeRedisClient } from './given-client.js'
import { linkOptions } from './link-options.js'
import type { GivenOptions, SocketAddress } from './link-options.js'
import { speaksResp3 } from './speaks-resp3.js'

/** One server, and how to connect to it. */
export interface LinkTarget {
  /** Is duplicated, which costs next to nothing; `createClient` compiles a class of hundreds of commands. */
  readonly template: NodeRedisClient
  readonly options: GivenOptions
  /** Overrides the one in the options. */
  readonly address?: SocketAddress | undefined
}

export interface LinkSettings {
  /** For CLIENT SETNAME. */
  readonly name: string
  readonly connectTimeoutMs: number
  /** Asked for its credentials; without it they are those of the target. */
  readonly credentials?: AskCredentials | undefined
}

/** What happens to a link. */
export interface LinkEvents {
  onMessage(channel: string, text: string, isSharded: boolean): void
  /** The server ended a sharded subscription. */
  onMoved(): void
  /** Once, unless it was destroyed. What was in flight is rejected next. */
  onEnd(cause: Error): void
}

/**
 * One connection from its making to its end: a client of node-redis that never connects a second time. So nothing is queued for a later
 * connection, and nothing is sent twice.
 */
export class Link {
  /** What it waits for, or waited for when it ended. */
  awaits: 'tls' | 'reply' | undefined
  /** Whether the server has accepted it. */
  isReached = false
  readonly #target: LinkTarget
  readonly #settings: LinkSettings
  readonly #events: LinkEvents
  readonly #client: NodeRedisClient
  readonly #abort = new AbortController()
  #credentials: CurrentCredentials | undefined
  #isSubscriber = false
  #isOpen = false
  #isOver = false
  #cause: Error | undefined

  constructor(target: LinkTarget, settings: LinkSettings, events: LinkEvents) {
    const { template, options, address } = target
    const { connectTimeoutMs } = settings
    this.#target = target
    this.#settings = settings
    this.#events = events
    this.#client = template.duplicate(
      linkOptions(options, address, connectTimeoutMs, this.#abort.signal, speaksResp3(template)),
    )
    // Also when the server sent something that is not the Redis protocol: nothing that follows could be trusted.
    this.#client.on('error', (given) => this.#end(toError(given)))
    this.#client.on('sharded-channel-moved', () => events.onMoved())
  }

  /**
   * Resolves when it is authenticated, its name is set and its database selected. Rejects with the reason why it is not, and is over
   * then.
   *
   * @param check - rejects if the server is not the right one
   */
  async open(check?: (link: Link) => Promise<void>): Promise<void> {
    const { options, address } = this.#target
    if (address?.tls ?? options.socket?.tls) this.awaits = 'tls'
    try {
      await this.#client.connect()
      this.isReached = true
      await this.#withinHandshake(this.#introduce().then(() => check?.(this)))
    } catch (thrown) {
      const cause = this.#cause ?? toError(thrown)
      if (this.awaits === 'tls' && !isFromTls(cause)) this.awaits = undefined
      this.destroy()
      throw cause
    }
    if (this.#isOver) throw new ConnectionLostError(this.#cause)
    this.#isOpen = true
  }

  /** Sends a command. Rejects with a `ReplyError`, or with a `ConnectionLostError` when no reply can come any more. */
  send(words: readonly string[]): Promise<unknown> {
    return this.#client.sendCommand(words).catch((error: unknown) => {
      throw this.#failure(error, words[0] ?? '')
    })
  }

  /** Resolves when the server has confirmed it. */
  async subscribe(channel: string, isSharded: boolean): Promise<void> {
    const listener = (text: string, from: string): void => this.#events.onMessage(from, text, isSharded)
    this.#isSubscriber = true
    try {
      await (isSharded
        ? this.#client.sSubscribe(channel, listener)
        : this.#client.subscribe(channel, listener))
    } catch (error) {
      throw this.#failure(error, isSharded ? 'ssubscribe' : 'subscribe')
    }
  }

  async unsubscribe(channel: string, isSharded: boolean): Promise<void> {
    try {
      await (isSharded ? this.#client.sUnsubscribe(channel) : this.#client.unsubscribe(channel))
    } catch (error) {
      throw this.#failure(error, isSharded ? 'sunsubscribe' : 'unsubscribe')
    }
  }

  /** Destroys the socket without waiting for the other side, which may be unresponsive. */
  destroy(): void {
    this.#isOver = true
    this.#credentials?.dispose()
    this.#credentials = undefined
    try {
      this.#client.destroy()
    } catch {
      // Version 5 throws when there is no connection (5.12.1).
    }
    this.#abort.abort()
  }

  #end(cause: Error): void {
    this.#cause ??= cause
    // It has received something, if nothing that makes sense.
    if (this.#client.isReady) this.awaits = undefined
    if (this.#isOver) return
    // While it connects, `open` reports it.
    if (this.#isOpen) this.#events.onEnd(cause)
    this.destroy()
  }

  /** What a connection owes its server before it is used, in one write. */
  async #introduce(): Promise<void> {
    this.awaits = 'reply'
    const { options } = this.#target
    const { credentials: ask } = this.#settings
    this.#credentials = ask
      ? await credentialsBy(ask, options, this.#abort.signal)
      : await credentialsOf(options, (renewed) => this.#reauthenticate(renewed))
    const requests = [
      ...authentication(this.#credentials),
      ['CLIENT', 'SETNAME', this.#settings.name],
      ...(options.database === undefined || options.database === 0
        ? []
        : [['SELECT', String(options.database)]]),
    ]
    const replies = requests.map((words) => this.send(words))
    // Awaited one after another below: each may be rejected before its turn.
    for (const reply of replies) reply.catch(() => undefined)
    for (const reply of replies) await this.#accept(reply)
  }

  async #accept(reply: Promise<unknown>): Promise<void> {
    try {
      await reply
    } catch (error) {
      if (error instanceof ReplyError) this.awaits = undefined
      if (!isAboutName(error)) throw error
    }
    this.awaits = undefined
  }

  async #reauthenticate(renewed: Credentials): Promise<void> {
    // In RESP2 a subscriber cannot. When the server ends it for that, the next one has the new credentials.
    if (this.#isSubscriber || this.#isOver) return
    for (const words of authentication(renewed)) await this.send(words)
  }

  async #withinHandshake(shaking: Promise<void>): Promise<void> {
    const { connectTimeoutMs: limitMs } = this.#settings
    const timer = setTimeout(() => {
      this.awaits = undefined
      this.#cause = new Error(`the connection was accepted, and nothing has come back within ${limitMs} ms`)
      this.destroy()
    }, limitMs)
    try {
      await shaking
    } finally {
      clearTimeout(timer)
    }
  }

  /** While the client is ready, nothing but a reply of the server makes it reject a command. */
  #failure(thrown: unknown, command: string): Error {
    const error = toError(thrown)
    if (this.#client.isReady) return new ReplyError(error.message, command)
    return new ConnectionLostError(this.#cause ?? error)
  }
}

const authentication = ({ username, password }: Credentials): string[][] => {
  if (username === undefined && password === undefined) return []
  return [['AUTH', ...(username === undefined ? [] : [username]), password ?? '']]
}

/** Whether only the name of the connection was refused, to a user without the permission, or by a proxy that has no such command. */
const isAboutName = (error: unknown): boolean =>
  error instanceof ReplyError &&
  error.command.name === 'client' &&
  (error.code === 'NOPERM' || error.message.startsWith('ERR unknown'))

/** What Node.js reports when the other side does not speak TLS. */
const ofTls: ReadonlySet<unknown> = new Set([
  ...['ECONNRESET', 'ETIMEDOUT', 'EPROTO'],
  ...['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
])

/** Not one of the connection below it, nor of a certificate. */
function isFromTls(error: Error): boolean {
  if ('syscall' in error && error.syscall !== 'read') return false
  return !('code' in error) || ofTls.has(error.code)
}
