import { EventEmitter } from 'node:events'
import type { RedisConnection } from '@holdfast/core'
import { ConnectionLostError, RedisSocket, type Dial } from './redis-socket.js'

export interface SimConnectionOptions {
  readonly dial: Dial
  readonly name: string
  readonly connectTimeoutMs: number
  /** After so many attempts that failed; without it the connection ends when it breaks. */
  readonly reconnectAfterMs?: (attempt: number) => number
}

type Word = string | number

interface Unsent {
  readonly words: readonly string[]
  readonly since: number
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: Error) => void
}

/** A connection as `@holdfast/core/node-redis` makes them: one socket after another, and nothing is sent twice. */
export class SimRedisConnection extends EventEmitter implements RedisConnection {
  status: 'wait' | 'connecting' | 'ready' | 'reconnecting' | 'end' = 'wait'
  readonly options = {}
  readonly #options: SimConnectionOptions
  #socket: RedisSocket | undefined
  #unsent: Unsent[] = []
  #attempt = 0
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: SimConnectionOptions) {
    super()
    this.#options = options
  }

  async connect(): Promise<void> {
    const failure = await this.#start()
    if (failure) throw failure
  }

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
    setImmediate(() => {
      if (status === 'connecting' || status === 'ready') this.emit('close')
      this.emit('end')
    })
    this.#rejectUnsent(new ConnectionLostError())
  }

  evalsha(sha1: string, keyCount: number, ...more: Word[]): Promise<unknown> {
    return this.#send(['EVALSHA', sha1, String(keyCount), ...more.map(String)])
  }

  eval(lua: string, keyCount: number, ...more: Word[]): Promise<unknown> {
    return this.#send(['EVAL', lua, String(keyCount), ...more.map(String)])
  }

  async hgetall(key: string): Promise<Record<string, string>> {
    const reply = await this.#send(['HGETALL', key])
    const words = Array.isArray(reply) ? reply.map(String) : []
    return Object.fromEntries(words.flatMap((word, n) => (n % 2 === 0 ? [[word, words[n + 1] ?? '']] : [])))
  }

  async wait(replicas: number, timeoutMs: number): Promise<number> {
    return Number(await this.#send(['WAIT', String(replicas), String(timeoutMs)]))
  }

  call(command: string, ...args: Word[]): Promise<unknown> {
    return this.#send([command, ...args.map(String)])
  }

  ping(): Promise<unknown> {
    return this.#send(['PING'])
  }

  subscribe(channel: string): Promise<unknown> {
    return this.#now(['SUBSCRIBE', channel])
  }

  unsubscribe(channel: string): Promise<unknown> {
    return this.#now(['UNSUBSCRIBE', channel])
  }

  ssubscribe(channel: string): Promise<unknown> {
    return this.#now(['SSUBSCRIBE', channel])
  }

  sunsubscribe(channel: string): Promise<unknown> {
    return this.#now(['SUNSUBSCRIBE', channel])
  }

  /** Sends a command if there is a connection. */
  #now(words: readonly string[]): Promise<unknown> {
    return this.#socket && this.status === 'ready'
      ? this.#socket.send(words)
      : Promise.reject(new ConnectionLostError())
  }

  /** Sends a command, once there is a connection. */
  #send(words: readonly string[]): Promise<unknown> {
    if (this.status === 'ready' || this.status === 'end') return this.#now(words)
    return new Promise((resolve, reject) => {
      this.#unsent.push({ words, since: performance.now(), resolve, reject })
      if (this.status === 'wait') void this.#start()
    })
  }

  /** Resolves with the reason if this attempt failed. Never rejects. */
  async #start(): Promise<Error | undefined> {
    const attempt = ++this.#attempt
    const { dial, name, connectTimeoutMs } = this.#options
    this.status = 'connecting'
    const socket: RedisSocket = new RedisSocket(dial, {
      onMessage: (channel, text) => {
        if (this.#socket === socket) this.emit('message', channel, text)
      },
      onEnd: (cause) => {
        if (this.#socket === socket && this.status === 'ready') this.#break(cause)
      },
    })
    this.#socket = socket
    try {
      await socket.open(name, connectTimeoutMs)
    } catch (thrown) {
      const cause = thrown instanceof Error ? thrown : new Error(String(thrown))
      if (attempt === this.#attempt) this.#break(cause)
      return cause
    }
    if (attempt !== this.#attempt) return new ConnectionLostError()
    this.#failures = 0
    this.status = 'ready'
    this.emit('ready')
    this.#sendUnsent(socket)
    return undefined
  }

  /** Those that have waited too long are not sent any more: their callers have given up. */
  #sendUnsent(socket: RedisSocket): void {
    const since = performance.now() - this.#options.connectTimeoutMs
    for (const unsent of this.#unsent.splice(0)) {
      if (unsent.since < since) unsent.reject(new ConnectionLostError())
      else socket.send(unsent.words).then(unsent.resolve, unsent.reject)
    }
  }

  #rejectUnsent(error: Error): void {
    for (const { reject } of this.#unsent.splice(0)) reject(error)
  }

  #drop(cause?: Error): void {
    this.#attempt += 1
    const socket = this.#socket
    this.#socket = undefined
    socket?.destroy(cause)
  }

  /** The connection broke, or did not come to be. */
  #break(cause: Error): void {
    this.status = 'reconnecting'
    this.emit('close')
    if (this.listenerCount('error') > 0) this.emit('error', cause)
    this.#drop(cause)
    this.#rejectUnsent(new ConnectionLostError(cause))
    // A listener may have ended it.
    if (this.#isEnded()) return
    const { reconnectAfterMs } = this.#options
    if (!reconnectAfterMs) {
      this.disconnect()
      return
    }
    this.#timer = setTimeout(() => void this.#start(), reconnectAfterMs(++this.#failures))
  }

  #isEnded(): boolean {
    return this.status === 'end'
  }
}
