import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { op } from '../../src/client/requests.js'
import { Reader } from '../../src/client/jute.js'
import { eventType } from '../../src/client/watches.js'

/** A request or an event, in the order in which all of them passed. */
export interface Passed {
  readonly client: string
  readonly way: 'request' | 'event'
  /** Such as `create`, `list`, or of an event `deleted`. */
  readonly what: string
  readonly path: string
  readonly isWatching: boolean
}

const requestNames: Readonly<Record<number, string>> = {
  [op.create2]: 'create',
  [op.create]: 'create',
  [op.createContainer]: 'create',
  [op.delete]: 'delete',
  [op.getData]: 'read',
  [op.getChildren]: 'list',
}
const eventNames: Readonly<Record<number, string>> = {
  [eventType.deleted]: 'deleted',
  [eventType.childrenChanged]: 'changed',
}
const eventXid = -1

/** Writes down what clients request and which events they get, each through a port of its own. */
export class Trace {
  readonly passed: Passed[] = []
  /** Whose entry each path is. */
  readonly entries = new Map<string, string>()
  /** How many requests have no reply yet. */
  unanswered = 0
  readonly #target: { readonly host: string; readonly port: number }
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target
  }

  /** For the option `connect` of a client, by whose name its requests are noted. */
  async portOf(client: string): Promise<string> {
    const server = createServer((socket) => this.#pass(client, socket)).listen(0, '127.0.0.1')
    this.#servers.push(server)
    await once(server, 'listening')
    const { port } = Object(server.address()) as { port: number }
    return `127.0.0.1:${port}`
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    for (const server of this.#servers) server.close()
  }

  #pass(client: string, socket: Socket): void {
    const upstream = connect(this.#target)
    for (const each of [socket, upstream]) {
      this.#sockets.add(each)
      each.on('error', () => undefined)
      each.on('close', () => [socket, upstream].forEach((side) => side.destroy()))
    }
    const [requests, replies] = [new Frames(), new Frames()]
    const unanswered: number[] = []
    socket.on('data', (bytes: Buffer) => {
      for (const frame of requests.push(bytes)) this.#noteRequest(client, new Reader(frame), unanswered)
      upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      for (const frame of replies.push(bytes)) this.#noteReply(client, new Reader(frame), unanswered)
      socket.write(bytes)
    })
  }

  #noteRequest(client: string, reader: Reader, unanswered: number[]): void {
    if (reader.int() <= 0) return
    const type = reader.int()
    unanswered.push(type)
    this.unanswered += 1
    const what = requestNames[type]
    if (what === undefined) return
    const path = reader.text()
    const isWatching = (what === 'read' || what === 'list') && reader.bool()
    this.passed.push({ client, way: 'request', what, path, isWatching })
  }

  #noteReply(client: string, reader: Reader, unanswered: number[]): void {
    const xid = reader.int()
    reader.long()
    const error = reader.int()
    if (xid === eventXid) {
      const what = eventNames[reader.int()] ?? 'event'
      reader.int()
      this.passed.push({ client, way: 'event', what, path: reader.text(), isWatching: false })
    }
    if (xid <= 0) return
    this.unanswered -= 1
    if (unanswered.shift() !== op.create2 || error !== 0) return
    const path = reader.text()
    // The server has added a number.
    if (/\d{10}$/.test(path)) this.entries.set(path, client)
  }
}

/** Frames behind their lengths; the first one of each direction is a greeting. */
class Frames {
  #pending: Buffer = Buffer.alloc(0)
  #isGreeted = false

  push(chunk: Buffer): Buffer[] {
    this.#pending = Buffer.concat([this.#pending, chunk])
    const frames: Buffer[] = []
    while (this.#pending.length >= 4) {
      const end = 4 + this.#pending.readInt32BE(0)
      if (this.#pending.length < end) break
      if (this.#isGreeted) frames.push(this.#pending.subarray(4, end))
      this.#isGreeted = true
      this.#pending = this.#pending.subarray(end)
    }
    return frames
  }
}
