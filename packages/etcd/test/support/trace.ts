import { once } from 'node:events'
import {
  connect,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { Frames } from '../../src/client/frames.js'
import { Message } from '../../src/wire/protobuf.js'

/** Writes down what clients send to etcd and which events they get, each through a port of its own. */
export class Trace {
  /** Lines of a Mermaid `sequenceDiagram`. */
  readonly lines: string[] = []
  /** Of watches that are in place. */
  watches = 0
  readonly #target: string
  readonly #servers: Http2Server[] = []

  constructor(target: string) {
    this.#target = target
  }

  /** For the option `hosts` of a client, by whose name its requests are noted. */
  async hostOf(client: string): Promise<string> {
    const server = createServer()
    this.#servers.push(server)
    server.on('session', (session) => {
      const upstream = connect(this.#target)
      upstream.on('error', () => session.destroy())
      session.on('close', () => upstream.destroy())
      session.on('error', () => undefined)
      session.on('stream', (stream: ServerHttp2Stream, headers) => {
        const forwarded = upstream.request(headers)
        const path = String(headers[':path']).replace('/etcdserverpb.', '')
        forwarded.on('response', (reply) => stream.respond(reply, { waitForTrailers: true }))
        forwarded.on('trailers', (trailers: IncomingHttpHeaders) =>
          stream.on('wantTrailers', () => stream.sendTrailers(withoutPseudo(trailers))),
        )
        for (const each of [stream, forwarded]) each.on('error', () => undefined)
        stream.on('close', () => forwarded.close())
        const [sent, received] = [new Frames(), new Frames()]
        stream.on('data', (bytes: Buffer) => {
          for (const message of sent.push(bytes)) this.#note(requestOf(client, path, new Message(message)))
          forwarded.write(bytes)
        })
        stream.on('end', () => forwarded.end())
        forwarded.on('data', (bytes: Buffer) => {
          for (const message of received.push(bytes)) this.#onReply(client, path, new Message(message))
          stream.write(bytes)
        })
        forwarded.on('end', () => stream.end())
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = Object(server.address()) as { port: number }
    return `http://127.0.0.1:${port}`
  }

  close(): void {
    for (const server of this.#servers) server.close()
  }

  #note(line: string | null): void {
    if (line !== null) this.lines.push(line)
  }

  #onReply(client: string, path: string, reply: Message): void {
    if (path !== 'Watch/Watch') return
    // Made, canceled, or with events.
    if (reply.isTrue(3)) this.watches += 1
    else if (reply.isTrue(4)) this.watches -= 1
    else if (reply.messages(11).length > 0) this.#note(`etcd-->>${client}: A’s key is gone`)
  }
}

const withoutPseudo = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))

/** `null`: it is not about a queue. */
function requestOf(client: string, path: string, message: Message): string | null {
  const arrow = `${client}->>etcd:`
  if (path === 'Watch/Watch') {
    const made = message.message(1).text(1)
    if (made === '') return `${arrow} stop watching`
    return made.includes('/queues/') ? `${arrow} watch A’s key` : null
  }
  if (path === 'KV/Range') return message.text(1).includes('/queues/') ? `${arrow} list the queue` : null
  if (path !== 'KV/Txn') return null
  const done = message.messages(2).flatMap((operation) => {
    if (operation.message(2).text(1).includes('/queues/')) return ['put']
    if (operation.message(1).text(1).includes('/queues/')) return ['list']
    return operation.message(3).text(1).includes('/queues/') ? ['delete'] : []
  })
  if (done.length === 0) return null
  return `${arrow} ${done[0] === 'put' ? `put ${client}’s key and list the queue` : `delete ${client}’s key`}`
}
