import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { Link } from './link.js'
import type { Delay, Pipe } from './pipe.js'

export type Direction = 'both' | 'toServer' | 'toClient'
type OneWay = Exclude<Direction, 'both'>

export interface DelayOptions {
  /** Added at random, from 0 up to this, in milliseconds; bytes still arrive in order. @defaultValue 0 */
  readonly jitterMs?: number
  /** Where the random part comes from, such as a seeded generator: a number from 0 up to 1. @defaultValue Math.random */
  readonly random?: () => number
  /** The other direction stays as it is. @defaultValue 'both' */
  readonly direction?: Direction
  /** To a fraction of a millisecond, at the price of a busy processor while anything is under way. @defaultValue false */
  readonly isExact?: boolean
}

/** A TCP proxy in front of a Redis that breaks the link in the ways that networks do. */
export interface FaultProxy extends AsyncDisposable {
  readonly host: string
  readonly port: number
  readonly url: string
  /** Client connections that are open through the proxy now. */
  readonly connections: number
  /**
   * Nothing gets through in that direction, and nobody is told; connections stay open, new ones too.
   *
   * Bytes are kept and arrive on `heal`, as TCP would resend them; with `drop` they are gone, and `heal` resets
   * the connections that lost some. Adds to an earlier black hole.
   */
  blackHole(direction: Direction, options?: { readonly drop?: boolean }): void
  /** Ends black holes. Delay, bandwidth and refusal stay as they are. */
  heal(): void
  /** What is sent from now on arrives this much later, in milliseconds, plus jitter if wanted. 0 ends it. */
  delay(delayMs: number, options?: DelayOptions): void
  /** Each connection carries this many bytes in a second, in each direction. Infinity ends it. */
  bandwidth(bytesPerSecond: number): void
  /** Resets all open connections, on both sides. New ones are accepted. */
  cut(): void
  /** New connections are refused by the system; open ones live on. */
  refuse(): Promise<void>
  /** Ends `refuse`, on the same port. */
  accept(): Promise<void>
  /**
   * Loses the reply to the next request that matches: the server executes it, then the connection is reset.
   *
   * `match` sees the request's words joined by spaces, such as `EVALSHA <sha> 1 key …`. Resolves when it has
   * happened, and never if no request matches. Replies to earlier requests on the connection still arrive. The server
   * sees two extra PINGs. Not for requests inside MULTI.
   */
  loseReply(match: (request: string) => boolean): Promise<void>
  /** Ends the proxy and all connections. A second call does nothing. */
  close(): Promise<void>
}

export async function startProxy(target: {
  readonly host: string
  readonly port: number
}): Promise<FaultProxy> {
  const proxy = new LoopbackProxy({ host: target.host, port: target.port })
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
  readonly #links = new Set<Link>()
  readonly #held = new Map<OneWay, 'keep' | 'drop'>()
  readonly #delays = new Map<OneWay, Delay>()
  readonly #losses = new Set<LossOrder>()
  #bytesPerSecond = Infinity
  #listener: Server | null = null
  #port = 0

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target
  }

  get port(): number {
    return this.#port
  }

  get url(): string {
    return `redis://${this.host}:${String(this.port)}`
  }

  get connections(): number {
    return this.#links.size
  }

  blackHole(direction: Direction, options: { readonly drop?: boolean } = {}): void {
    const mode = options.drop ? 'drop' : 'keep'
    for (const way of waysOf(direction)) this.#held.set(way, mode)
    for (const link of this.#links) this.#applyTo(link)
  }

  heal(): void {
    this.#held.clear()
    for (const pipe of this.#pipes()) pipe.heal()
  }

  delay(delayMs: number, options: DelayOptions = {}): void {
    const { jitterMs = 0, random = Math.random, direction = 'both', isExact = false } = options
    const of = jitterMs > 0 ? () => delayMs + jitterMs * random() : () => delayMs
    for (const way of waysOf(direction)) this.#delays.set(way, { of, isExact })
    for (const link of this.#links) this.#applyTo(link)
  }

  bandwidth(bytesPerSecond: number): void {
    if (!(bytesPerSecond > 0)) throw new RangeError(`bandwidth must be above 0, not ${bytesPerSecond}`)
    this.#bytesPerSecond = bytesPerSecond
    for (const pipe of this.#pipes()) pipe.setBandwidth(bytesPerSecond)
  }

  cut(): void {
    for (const link of this.#links) link.cut()
  }

  async refuse(): Promise<void> {
    const listener = this.#listener
    this.#listener = null
    // Its 'close' comes only when the last connection has ended; that it listens no more is true at once.
    listener?.close()
    return Promise.resolve()
  }

  async accept(): Promise<void> {
    if (this.#listener) return
    const listener = createServer({ allowHalfOpen: true }, (client) => {
      const link = new Link(client, this.#target, {
        shouldLoseReply: (request) => this.#takeLoss(request),
        closed: (closed) => this.#links.delete(closed),
      })
      this.#links.add(link)
      this.#applyTo(link)
      link.toServer.setBandwidth(this.#bytesPerSecond)
      link.toClient.setBandwidth(this.#bytesPerSecond)
    })
    this.#listener = listener
    listener.listen(this.#port, this.host)
    await once(listener, 'listening')
    const address = listener.address()
    if (typeof address === 'object' && address !== null) this.#port = address.port
  }

  loseReply(match: (request: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#losses.add({ match, onDone: resolve })
    })
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

  #applyTo(link: Link): void {
    for (const [way, delay] of this.#delays) link[way].setDelay(delay)
    for (const [way, mode] of this.#held) link[way].hold(mode)
  }

  #takeLoss(request: string): (() => void) | null {
    for (const order of this.#losses) {
      if (!order.match(request)) continue
      this.#losses.delete(order)
      return order.onDone
    }
    return null
  }

  *#pipes(): Iterable<Pipe> {
    for (const link of this.#links) {
      yield link.toServer
      yield link.toClient
    }
  }
}

function waysOf(direction: Direction): OneWay[] {
  return direction === 'both' ? ['toServer', 'toClient'] : [direction]
}
