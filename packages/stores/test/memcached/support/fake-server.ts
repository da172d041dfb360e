import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** Replies to each line of a client as it is told; `null` hangs up. */
export class FakeServer implements AsyncDisposable {
  readonly url: string
  readonly lines: string[]
  readonly #server: Server
  readonly #sockets: Set<Socket>

  private constructor(server: Server, sockets: Set<Socket>, lines: string[]) {
    this.#server = server
    this.#sockets = sockets
    this.lines = lines
    this.url = `memcached://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(replyTo: (line: string) => string | null): Promise<FakeServer> {
    const sockets = new Set<Socket>()
    const lines: string[] = []
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
      socket.on('data', (bytes: Buffer) => {
        for (const line of bytes.toString().split('\r\n').slice(0, -1)) {
          lines.push(line)
          const reply = replyTo(line)
          if (reply === null) socket.destroy()
          else socket.write(reply)
        }
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new FakeServer(server, sockets, lines)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}
