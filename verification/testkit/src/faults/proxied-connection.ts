import { connect, type Socket } from 'node:net'
import { DelayedStream } from './delayed-stream.js'
import type { LossOfReply, Protocol } from './protocol.js'

export interface ProxiedConnectionEvents {
  /** Called for every complete request. Returns a callback if its reply is to be lost, to be called once that happened. */
  shouldLoseReply(request: string): (() => void) | null
  closed(connection: ProxiedConnection): void
}

/** One proxied connection: a client's connection to the proxy, and the matching one from the proxy to the server. */
export class ProxiedConnection {
  readonly toServer: DelayedStream
  readonly toClient: DelayedStream
  readonly #client: Socket
  readonly #server: Socket
  readonly #events: ProxiedConnectionEvents
  readonly #protocol: Protocol
  #loss: { readonly reply: LossOfReply; readonly onDone: () => void } | null = null
  #openEnds = 2

  constructor(
    client: Socket,
    target: { readonly host: string; readonly port: number },
    protocol: Protocol,
    events: ProxiedConnectionEvents,
  ) {
    const server = connect({ host: target.host, port: target.port, allowHalfOpen: true, noDelay: true })
    client.setNoDelay(true)
    this.#client = client
    this.#server = server
    this.#protocol = protocol
    this.#events = events
    this.toServer = new DelayedStream(server)
    this.toClient = new DelayedStream(client)
    client.on('data', (chunk) => this.#onRequestBytes(chunk))
    server.on('data', (chunk) => this.#onReplyBytes(chunk))
    this.#relayEnd(client, this.toServer)
    this.#relayEnd(server, this.toClient)
  }

  /** Resets both connections. */
  cut(): void {
    this.toServer.close()
    this.toClient.close()
    reset(this.#client)
    reset(this.#server)
  }

  #relayEnd(from: Socket, pipe: DelayedStream): void {
    from.on('end', () => {
      if (from === this.#client) this.toServer.write(this.#protocol.takeRest())
      pipe.end('half')
    })
    // An error is followed by 'close', which ends the other side.
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
    for (const request of this.#protocol.push(chunk)) {
      // Requests after the one whose reply is lost are lost with the connection.
      if (this.#loss) return
      const onDone = this.#events.shouldLoseReply(request.text)
      if (onDone) this.#loss = { reply: this.#protocol.loseNext(), onDone }
      this.toServer.write(this.#loss ? this.#loss.reply.wrap(request.bytes) : request.bytes)
    }
  }

  #onReplyBytes(chunk: Buffer): void {
    if (!this.#loss) {
      this.#protocol.seeReply(chunk)
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

/** A half-closed connection is only closed: resetting it would leave a handle that keeps Node 20 from exiting. */
function reset(socket: Socket): void {
  if (socket.readableEnded || socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
