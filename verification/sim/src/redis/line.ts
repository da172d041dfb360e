import type { Path } from './path.js'
import { Failure, Status, type Reply } from './reply.js'
import type { Peer, RedisServer } from './server.js'

/** A reply as a client sees it. */
export type ClientReply = string | number | null | { readonly error: string } | readonly ClientReply[]

/** What happens to a socket, in the process that opened it. */
export interface SocketEvents {
  opened(): void
  replied(reply: ClientReply): void
  told(channel: string, message: string): void
  /** Once, unless it was closed here. */
  ended(why: string): void
}

/** One connection between a process and a server, from its making to its end. */
export class Line implements Peer {
  readonly channels = new Set<string>()
  readonly server: RedisServer
  readonly #path: Path
  readonly #name: string
  readonly #events: SocketEvents
  /** Asked about every reply to a script that was carried out. */
  readonly #losesReply: () => boolean
  /** By either side, as far as the client knows. */
  isClosed = false
  /** What has reached the server's end of a connection that is stranded. */
  #stranded: (() => void)[] | undefined
  /** Whether the request that is being carried out is one. */
  #runsScript = false

  constructor(
    path: Path,
    server: RedisServer,
    name: string,
    events: SocketEvents,
    losesReply: () => boolean,
  ) {
    this.#path = path
    this.server = server
    this.#name = name
    this.#events = events
    this.#losesReply = losesReply
    this.#toServer(() => {
      if (this.server.isDown) this.end('connect ECONNREFUSED')
      else if (!this.isClosed) {
        this.server.accept(this)
        this.#toClient(() => events.opened())
      }
    })
  }

  /** Sends a request. */
  send(words: readonly string[]): void {
    this.#toServer(() => {
      this.#runsScript = words[0] === 'EVALSHA'
      this.server.receive(this, words)
    })
  }

  /** The process closes it: the server learns that as late as anything that was sent before. */
  close(): void {
    this.isClosed = true
    this.#toServer(() => this.server.drop(this))
  }

  /** Both ends find it broken, and what was under way is lost. */
  cut(): void {
    this.server.drop(this)
    this.#path.atOnce('toClient', () => this.#end('read ECONNRESET'))
  }

  /** The process finds it broken; what it sent before arrives only when the returned function is called. */
  strand(): () => void {
    const stranded: (() => void)[] = []
    this.#stranded = stranded
    this.#path.atOnce('toClient', () => this.#end('read ECONNRESET'))
    return () => {
      this.#stranded = undefined
      for (const run of stranded) this.#path.atOnce('toStore', run)
      this.#path.atOnce('toStore', () => this.server.drop(this))
    }
  }

  reply(reply: Reply): void {
    if (this.#runsScript && this.#losesReply()) {
      this.cut()
      return
    }
    this.#toClient(() => this.#events.replied(seen(reply)))
  }

  tell(channel: string, message: string): void {
    this.#toClient(() => this.#events.told(textOf(channel), textOf(message)))
  }

  end(why: string): void {
    this.#toClient(() => this.#end(why))
  }

  #end(why: string): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#events.ended(why)
  }

  #toServer(run: () => void): void {
    this.#path.send('toStore', this.#name, () => {
      if (this.#stranded) this.#stranded.push(run)
      else run()
    })
  }

  #toClient(run: () => void): void {
    this.#path.send('toClient', this.#name, () => {
      if (!this.isClosed) run()
    })
  }
}

function seen(reply: Reply): ClientReply {
  if (typeof reply === 'string') return textOf(reply)
  if (typeof reply === 'number' || reply === null) return reply
  if (reply instanceof Status) return reply.text
  if (reply instanceof Failure) return { error: textOf(reply.text) }
  return reply.map(seen)
}

/** What has a character for each byte, as a text. */
function textOf(bytes: string): string {
  return /^[\0-\x7f]*$/.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString()
}
