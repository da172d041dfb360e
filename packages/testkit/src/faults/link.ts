import { connect, type Socket } from 'node:net'
import { Pipe } from './pipe.js'
import { ReplyLoss } from './reply-loss.js'
import { RequestStream } from './request-stream.js'

export interface LinkEvents {
  /** Asked for every whole request: should its reply be lost? If so, called back once that has happened. */
  shouldLoseReply(request: string): (() => void) | null
  closed(link: Link): void
}

/** One client's connection through the proxy and the one to the server that belongs to it. */
export class Link {
  readonly toServer: Pipe
  readonly toClient: Pipe
  readonly #client: Socket
  readonly #server: Socket
  readonly #events: LinkEvents
  readonly #requests = new RequestStream()
  #loss: { readonly reply: ReplyLoss; readonly onDone: () => void } | null = null
  #openEnds = 2

  constructor(client: Socket, target: { host: string; port: number }, events: LinkEvents) {
    const server = connect({ ...target, allowHalfOpen: true, noDelay: true })
    client.setNoDelay(true)
    this.#client = client
    this.#server = server
    this.#events = events
    this.toServer = new Pipe(server)
    this.toClient = new Pipe(client)
    client.on('data', (chunk) => {
      this.#onRequestBytes(chunk)
    })
    server.on('data', (chunk) => {
      this.#onReplyBytes(chunk)
    })
    this.#relayEnd(client, this.toServer)
    this.#relayEnd(server, this.toClient)
  }

  /** Both ends see a reset connection. */
  cut(): void {
    this.toServer.close()
    this.toClient.close()
    reset(this.#client)
    reset(this.#server)
  }

  #relayEnd(from: Socket, pipe: Pipe): void {
    from.on('end', () => {
      if (from === this.#client) this.toServer.write(this.#requests.takeRest())
      pipe.end('half')
    })
    // An error is followed by 'close', which tells the other side.
    from.on('error', () => undefined)
    from.on('close', () => {
      pipe.end('whole')
      this.#openEnds -= 1
      if (this.#openEnds > 0) return
      this.toServer.close()
      this.toClient.close()
      this.#events.closed(this)
    })
  }

  #onRequestBytes(chunk: Buffer): void {
    for (const request of this.#requests.push(chunk)) {
      // What the client sends after the request whose reply gets lost is lost with the connection.
      if (this.#loss) return
      const onDone = this.#events.shouldLoseReply(request.text)
      if (onDone) this.#loss = { reply: new ReplyLoss(), onDone }
      this.toServer.write(this.#loss ? this.#loss.reply.wrap(request.bytes) : request.bytes)
    }
  }

  #onReplyBytes(chunk: Buffer): void {
    if (!this.#loss) {
      this.toClient.write(chunk)
      return
    }
    const { reply, onDone } = this.#loss
    const passed = reply.pass(chunk)
    if (passed.length > 0) this.toClient.write(passed)
    if (!reply.done) return
    this.cut()
    onDone()
  }
}

/** A connection that is half closed already only ends: reset, it would leave a handle that keeps Node 20 from exiting. */
function reset(socket: Socket): void {
  if (socket.readableEnded || socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
