import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { ProxiedConnection } from './proxied-connection.js'
import type { Delay, DelayedStream } from './delayed-stream.js'
import { Http2Protocol } from './http2-protocol.js'
import { MemcachedProtocol } from './memcached-protocol.js'
import { MysqlProtocol } from './mysql-protocol.js'
import { PostgresProtocol } from './postgres-protocol.js'
import { ZooKeeperProtocol } from './zookeeper-protocol.js'
import { RedisProtocol, UnknownProtocol, type Protocol } from './protocol.js'

export type Direction = 'both' | 'toServer' | 'toClient'
type OneWay = Exclude<Direction, 'both'>

export interface DelayOptions {
  /** A random addition from 0 up to this, in milliseconds; bytes still arrive in order. @defaultValue 0 */
  readonly jitterMs?: number
  /** The source of randomness, such as a seeded generator: returns a number from 0 up to 1. @defaultValue Math.random */
  readonly random?: () => number
  /** The other direction is unaffected. @defaultValue 'both' */
  readonly direction?: Direction
  /** Exact to a fraction of a millisecond, at the cost of a busy loop while bytes are in flight. @defaultValue false */
  readonly isExact?: boolean
}

/** A TCP proxy in front of a server that injects network faults. */
export interface FaultProxy extends AsyncDisposable {
  readonly host: string
  readonly port: number
  readonly url: string
  /** The number of client connections now open through the proxy. */
  readonly connections: number
  /**
   * Nothing gets through in that direction, without an error; connections stay open, including new ones.
   *
   * Bytes are kept and arrive on `heal`, as TCP would resend them; with `drop` they are lost, and `heal` resets
   * the connections that lost some. Adds to an earlier black hole.
   */
  blackHole(direction: Direction, options?: { readonly drop?: boolean }): void
  /** Ends black holes. Delay, bandwidth and refusal are unaffected. */
  heal(): void
  /** Delays everything sent from now on by this many milliseconds, plus optional jitter. 0 ends it. */
  delay(delayMs: number, options?: DelayOptions): void
  /** Limits each connection to this many bytes per second, in each direction. Infinity ends it. */
  bandwidth(bytesPerSecond: number): void
  /** Resets all open connections, on both sides. New ones are accepted. */
  cut(): void
  /** New connections are refused by the system; open ones stay open. */
  refuse(): Promise<void>
  /** Ends `refuse`, on the same port. */
  accept(): Promise<void>
  /**
   * Loses the reply to the next request that matches: the server executes it, then the connection is reset.
   *
   * `match` gets the request's words joined by spaces, such as `EVALSHA <sha> 1 key …`. Resolves when it has
   * happened; never if no request matches. Replies to earlier requests on the connection still arrive. The server
   * sees two extra PINGs. Not for requests inside MULTI.
   *
   * Of PostgreSQL's protocol `match` gets the messages up to Sync as they are, and replies that are still owed are lost too. Of
   * etcd's it gets the message of a unary call, of memcached's the first line of a command, and of MySQL's the statement; those servers
   * see nothing extra.
   */
  loseReply(match: (request: string) => boolean): Promise<void>
  /** Closes the proxy and all connections. A second call does nothing. */
  close(): Promise<void>
}

const protocols = {
  redis: () => new RedisProtocol(),
  postgres: () => new PostgresProtocol(),
  zookeeper: () => new ZooKeeperProtocol(),
  etcd: () => new Http2Protocol(),
  memcached: () => new MemcachedProtocol(),
  mysql: () => new MysqlProtocol(),
  unknown: () => new UnknownProtocol(),
}

/**
 * @param target - where connections go; read for each new one, so it may change
 * @param protocol - what the server speaks, for `loseReply`; of PostgreSQL's without TLS and replication
 */
export async function startProxy(
  target: { readonly host: string; readonly port: number },
  protocol: keyof typeof protocols = 'redis',
): Promise<FaultProxy> {
  const proxy = new LoopbackProxy(target, protocols[protocol])
  await proxy.accept()
  return proxy
}

interface LossOrder {
  readonly match: (request: string) => boolean
  readonly onDone: () => void
}

class LoopbackProxy implements FaultProxy {
  readonly host = '127.0.0.1'
  readonly #target: { readonly host: string; readonly port: number }
  readonly #makeProtocol: () => Protocol
  readonly #connections = new Set<ProxiedConnection>()
  readonly #held = new Map<OneWay, 'keep' | 'drop'>()
  readonly #delays = new Map<OneWay, Delay>()
  readonly #losses = new Set<LossOrder>()
  #bytesPerSecond = Infinity
  #listener: Server | null = null
  #port = 0

  constructor(target: { readonly host: string; readonly port: number }, makeProtocol: () => Protocol) {
    this.#target = target
    this.#makeProtocol = makeProtocol
  }

  get port(): number {
    return this.#port
  }

  get url(): string {
    return `redis://${this.host}:${String(this.port)}`
  }

  get connections(): number {
    return this.#connections.size
  }

  blackHole(direction: Direction, options: { readonly drop?: boolean } = {}): void {
    const mode = options.drop ? 'drop' : 'keep'
    for (const way of waysOf(direction)) this.#held.set(way, mode)
    for (const connection of this.#connections) this.#applyTo(connection)
  }

  heal(): void {
    this.#held.clear()
    for (const stream of this.#streams()) stream.heal()
  }

  delay(delayMs: number, options: DelayOptions = {}): void {
    const { jitterMs = 0, random = Math.random, direction = 'both', isExact = false } = options
    const of = jitterMs > 0 ? () => delayMs + jitterMs * random() : () => delayMs
    for (const way of waysOf(direction)) this.#delays.set(way, { of, isExact })
    for (const connection of this.#connections) this.#applyTo(connection)
  }

  bandwidth(bytesPerSecond: number): void {
    if (!(bytesPerSecond > 0)) throw new RangeError(`bandwidth must be above 0, not ${bytesPerSecond}`)
    this.#bytesPerSecond = bytesPerSecond
    for (const stream of this.#streams()) stream.setBandwidth(bytesPerSecond)
  }

  cut(): void {
    for (const connection of this.#connections) connection.cut()
  }

  async refuse(): Promise<void> {
    const listener = this.#listener
    this.#listener = null
    // Its 'close' event comes only when the last connection has ended, but it stops listening at once.
    listener?.close()
    return Promise.resolve()
  }

  async accept(): Promise<void> {
    if (this.#listener) return
    const listener = createServer({ allowHalfOpen: true }, (client) => {
      const connection = new ProxiedConnection(client, this.#target, this.#makeProtocol(), {
        shouldLoseReply: (request) => this.#takeLoss(request),
        closed: (closed) => this.#connections.delete(closed),
      })
      this.#connections.add(connection)
      this.#applyTo(connection)
      connection.toServer.setBandwidth(this.#bytesPerSecond)
      connection.toClient.setBandwidth(this.#bytesPerSecond)
    })
    this.#listener = listener
    listener.listen(this.#port, this.host)
    await once(listener, 'listening')
    const address = listener.address()
    if (typeof address === 'object' && address !== null) this.#port = address.port
  }

  loseReply(match: (request: string) => boolean): Promise<void> {
    return new Promise((resolve) => this.#losses.add({ match, onDone: resolve }))
  }

  async close(): Promise<void> {
    const listener = this.#listener
    this.#listener = null
    this.cut()
    if (!listener) return
    const closed = once(listener, 'close')
    listener.close()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #applyTo(connection: ProxiedConnection): void {
    for (const [way, delay] of this.#delays) connection[way].setDelay(delay)
    for (const [way, mode] of this.#held) connection[way].hold(mode)
  }

  #takeLoss(request: string): (() => void) | null {
    for (const order of this.#losses) {
      if (!order.match(request)) continue
      this.#losses.delete(order)
      return order.onDone
    }
    return null
  }

  *#streams(): Iterable<DelayedStream> {
    for (const connection of this.#connections) {
      yield connection.toServer
      yield connection.toClient
    }
  }
}

function waysOf(direction: Direction): OneWay[] {
  return direction === 'both' ? ['toServer', 'toClient'] : [direction]
}
