import { EventEmitter } from 'node:events'
import type { RedisConnection } from '../../index.js'
import { ConnectionLostError, toError } from '../link/errors.js'
import { Link } from '../link/link.js'
import type { LinkSettings, LinkTarget } from '../link/link.js'
import { hashOf } from './hash.js'
import { Unsent } from './unsent.js'

export interface ConnectionOptions {
  /**
   * Finds the server, whenever a connection is made.
   *
   * @param signal - ends the search
   */
  resolve(report: ReportFailure, signal: AbortSignal): LinkTarget | Promise<LinkTarget>
  /** Whether the server is the right one; throws if it is not. */
  readonly check?: ((link: Link) => Promise<void>) | undefined
  readonly settings: LinkSettings
  /** After so many attempts that failed; without it the connection ends when it breaks. */
  readonly reconnectAfterMs?: ((attempt: number) => number) | undefined
  /** What leads to it, in a cluster. */
  readonly address?: { readonly host: string; readonly port: number } | undefined
}

/** One of several ways to the server led nowhere. */
export type ReportFailure = (error: Error, address: string) => void

type Word = string | number

/** A connection that is made by its first command and, if it may, made again whenever it breaks: one {@link Link} after another. */
export class Connection extends EventEmitter implements RedisConnection {
  status: 'wait' | 'connecting' | 'ready' | 'close' | 'reconnecting' | 'end' = 'wait'
  readonly options: { readonly host?: string; readonly port?: number }
  readonly #options: ConnectionOptions
  readonly #unsent: Unsent<Link>
  #link: Link | undefined
  #search: AbortController | undefined
  /** What the latest link awaited when it ended. */
  #awaited: Link['awaits']
  /** Grows with every attempt: what belongs to an earlier one is recognized by it. */
  #attempt = 0
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: ConnectionOptions) {
    super()
    this.#options = options
    this.#unsent = new Unsent(options.settings.connectTimeoutMs)
    this.options = options.address ?? {}
  }

  get awaits(): Link['awaits'] {
    return this.#link ? this.#link.awaits : this.#awaited
  }

  /** Resolves when it is ready; rejects with the reason when this attempt failed. */
  async connect(): Promise<void> {
    const failure = await this.#start()
    if (failure) throw failure
  }

  /**
   * Ends it, or makes it again.
   *
   * @param reconnect - whether to connect again, like after any other break; does nothing between two attempts
   */
  disconnect(reconnect = false): void {
    const { status } = this
    if (reconnect) {
      if (status === 'ready' || status === 'connecting') this.#break(new Error('the connection was replaced'))
      return
    }
    clearTimeout(this.#timer)
    if (status === 'end') return
    this.status = 'end'
    this.#drop()
    // Not before the socket is gone.
    setImmediate(() => {
      if (status === 'connecting' || status === 'ready') this.emit('close')
      this.emit('end')
    })
    this.#unsent.reject(new ConnectionLostError())
  }

  /** Sends a command, once there is a connection. */
  send(words: readonly string[]): Promise<unknown> {
    if (this.#link && this.status === 'ready') return this.#link.send(words)
    if (this.status === 'end') return Promise.reject(new ConnectionLostError())
    const sent = this.#unsent.add((link) => link.send(words))
    if (this.status === 'wait') void this.#start()
    return sent
  }

  /** Sends two commands next to each other, if there is a connection. */
  asking(words: readonly string[]): Promise<unknown> {
    this.send(['ASKING']).catch(() => undefined)
    return this.send(words)
  }

  evalsha(sha1: string, keyCount: number, ...more: Word[]): Promise<unknown> {
    return this.send(['EVALSHA', sha1, String(keyCount), ...more.map(String)])
  }

  eval(lua: string, keyCount: number, ...more: Word[]): Promise<unknown> {
    return this.send(['EVAL', lua, String(keyCount), ...more.map(String)])
  }

  async hgetall(key: string): Promise<Record<string, string>> {
    return hashOf(await this.send(['HGETALL', key]))
  }

  async wait(replicas: number, timeoutMs: number): Promise<number> {
    return Number(await this.send(['WAIT', String(replicas), String(timeoutMs)]))
  }

  call(command: string, ...args: Word[]): Promise<unknown> {
    return this.send([command, ...args.map(String)])
  }

  ping(): Promise<unknown> {
    return this.send(['PING'])
  }

  subscribe(channel: string): Promise<void> {
    return this.#ready().then((link) => link.subscribe(channel, false))
  }

  unsubscribe(channel: string): Promise<void> {
    return this.#ready().then((link) => link.unsubscribe(channel, false))
  }

  ssubscribe(channel: string): Promise<void> {
    return this.#ready().then((link) => link.subscribe(channel, true))
  }

  sunsubscribe(channel: string): Promise<void> {
    return this.#ready().then((link) => link.unsubscribe(channel, true))
  }

  #ready(): Promise<Link> {
    return this.#link && this.status === 'ready'
      ? Promise.resolve(this.#link)
      : Promise.reject(new ConnectionLostError())
  }

  /** Resolves with the reason if this attempt failed. Never rejects. */
  async #start(): Promise<Error | undefined> {
    const attempt = ++this.#attempt
    const isCurrent = (): boolean => attempt === this.#attempt
    this.status = 'connecting'
    let link: Link
    try {
      this.#search = new AbortController()
      const report: ReportFailure = (error, address) => this.emit('node error', error, address)
      const target = await this.#options.resolve(report, this.#search.signal)
      if (!isCurrent()) return new ConnectionLostError()
      link = this.#open(target)
      await link.open(this.#options.check)
      if (!isCurrent()) return new ConnectionLostError()
    } catch (thrown) {
      const cause = toError(thrown)
      if (!isCurrent()) return cause
      this.#break(cause)
      return cause
    }
    this.#failures = 0
    this.status = 'ready'
    this.emit('ready')
    this.#unsent.sendOn(link)
    return undefined
  }

  #open(target: LinkTarget): Link {
    const link: Link = new Link(target, this.#options.settings, {
      onMessage: (channel, text, isSharded) => this.emit(isSharded ? 'smessage' : 'message', channel, text),
      onMoved: () => this.emit('moved'),
      onEnd: (cause) => {
        if (this.#link === link) this.#break(cause)
      },
    })
    this.#link = link
    return link
  }

  #isEnded(): boolean {
    return this.status === 'end'
  }

  #drop(): void {
    this.#attempt++
    this.#search?.abort()
    const link = this.#link
    this.#awaited = link?.awaits
    this.#link = undefined
    link?.destroy()
  }

  /** The connection broke, or did not come to be. */
  #break(cause: Error): void {
    this.status = 'close'
    this.emit('close')
    if (this.listenerCount('error') > 0) this.emit('error', cause)
    this.#drop()
    this.#unsent.reject(new ConnectionLostError(cause))
    // A listener may have ended it.
    if (this.#isEnded()) return
    const { reconnectAfterMs } = this.#options
    if (!reconnectAfterMs) {
      this.disconnect()
      return
    }
    this.status = 'reconnecting'
    this.#timer = setTimeout(() => void this.#start(), reconnectAfterMs(++this.#failures))
  }
}
