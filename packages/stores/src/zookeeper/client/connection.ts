import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { code, NoReplyError, ZooKeeperError } from './errors.js'
import { Reader, Writer } from './jute.js'
import { op, type Request } from './requests.js'

/** Numbers that stand in for that of a request. */
export const xids = { event: -1, ping: -2, auth: -4, setWatches: -8 } as const

const partsOfTick = 4

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly tls: ConnectionOptions | undefined
  /** Sent first. */
  readonly greeting: Buffer
  /** How long the server may take to reply to it, milliseconds. */
  readonly greetingMs: number
  /** After how long without a reply that it owes it is given up, milliseconds. */
  readonly muteMs: number
  readonly now: () => number
  /** The `tickTime` of the servers, milliseconds. */
  readonly tickMs: number
}

/** What a connection reports. After `closed` nothing comes. */
export interface ConnectionEvents {
  greeted(reply: Reader): void
  watched(type: number, path: string): void
  /** A write was carried out. The leader has heard of this client since then, at least. */
  proven(heardOfAt: number): void
  authenticated(error: number): void
  /** @param wasAnswered - whether the server had replied to the greeting */
  closed(cause: Error, wasAnswered: boolean): void
}

interface Pending {
  readonly what: string
  readonly isWrite: boolean
  readonly sentAt: number
  /** When the leader heard of this client last, if it carries the request out. */
  readonly heardOfAt: number
  readonly reply: (reader: Reader, error: number) => void
  readonly reject: (error: Error) => void
}

/** One connection to one server. Replies come in the order of the requests. */
export class Connection {
  /** When bytes came last. */
  heardAt: number
  /** When bytes were sent last. */
  spokeAt: number
  lastZxid = 0n
  readonly #socket: Socket
  readonly #events: ConnectionEvents
  readonly #now: () => number
  readonly #muteMs: number
  readonly #tickMs: number
  /** Instants at which something was sent, a part of a tick apart, those of the last tick and one before. */
  readonly #spoken: number[]
  readonly #pending = new Map<number, Pending>()
  readonly #greetingLimit: NodeJS.Timeout
  #received: Buffer = Buffer.alloc(0)
  #xid = 0
  #isGreeted = false
  #isClosed = false
  #cause: Error

  constructor(options: ServerOptions, events: ConnectionEvents) {
    const { host, port, tls, greeting, greetingMs, muteMs, now, tickMs } = options
    this.#events = events
    this.#now = now
    this.#muteMs = muteMs
    this.#tickMs = tickMs
    this.heardAt = this.spokeAt = now()
    this.#spoken = [this.spokeAt]
    const where = `${host}:${port}`
    this.#cause = new Error(`${where} closed the connection`)
    const socket = tls
      ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...tls }, () =>
          socket.write(greeting),
        )
      : connectTcp({ host, port }, () => socket.write(greeting))
    this.#socket = socket
    socket.setNoDelay(true)
    // A server that is starting accepts connections that it never replies to.
    this.#greetingLimit = setTimeout(
      () => this.end(new Error(`${where} has not replied within ${greetingMs} ms`)),
      greetingMs,
    )
    socket.on('data', (bytes: Buffer) => this.#onBytes(bytes))
    socket.on('error', (error: Error) => (this.#cause = error))
    socket.on('close', () => this.#onClose())
  }

  /** Rejects with `NoReplyError` when no reply came in time, or the connection broke. */
  request<T>(request: Request<T>, timeoutMs: number): Promise<T> {
    const xid = ++this.#xid
    const sentAt = this.#now()
    const heardOfAt = this.#heardOfAt(sentAt)
    const { what, isWrite } = request
    const reply = new Promise<T>((resolve, reject) => {
      // After a process stood still, what has come is read before it is missed.
      const timer = setTimeout(() => setImmediate(() => this.#onLate(xid, timeoutMs)), timeoutMs)
      this.#pending.set(xid, {
        ...{ what, isWrite, sentAt, heardOfAt },
        reply(reader, error) {
          clearTimeout(timer)
          try {
            resolve(request.read(reader, error))
          } catch (failure) {
            reject(failure instanceof Error ? failure : new Error(String(failure)))
          }
        },
        reject(error) {
          clearTimeout(timer)
          reject(error)
        },
      })
    })
    const writer = new Writer().int(xid).int(request.op)
    request.write(writer)
    this.send(writer.frame())
    return reply
  }

  send(frame: Buffer): void {
    const now = (this.spokeAt = this.#now())
    if (now - (this.#spoken.at(-1) ?? now) >= this.#tickMs / partsOfTick) {
      this.#spoken.push(now)
      this.#heardOfAt(now)
    }
    // What is sent in one turn leaves together.
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork()
      process.nextTick(() => this.#socket.uncork())
    }
    this.#socket.write(frame)
  }

  ping(): void {
    this.send(new Writer().int(xids.ping).int(op.ping).frame())
  }

  /** Ends it for this reason, at once. */
  end(cause: Error): void {
    this.#cause = cause
    this.#socket.destroy()
    this.#onClose()
  }

  /**
   * When the leader heard of this client last, as far as that is sure. It hears of the clients of another server by that one's
   * replies to its pings, twice per tick, and not by the writes that the other one passes on. What was sent a tick before has been
   * reported on the same way, ahead of the write. The greeting, which is the first, it answers itself.
   *
   * @see https://github.com/apache/zookeeper `LearnerHandler`, `LearnerSessionTracker` and `SessionTrackerImpl.checkSession`
   */
  #heardOfAt(sentAt: number): number {
    const reportedAt = sentAt - this.#tickMs
    while ((this.#spoken[1] ?? Infinity) <= reportedAt) this.#spoken.shift()
    return this.#spoken[0] ?? -Infinity
  }

  /** A caller may wait for less than a reply takes. Whatever else was sent on a connection that is mute waits as well. */
  #onLate(xid: number, timeoutMs: number): void {
    const late = this.#pending.get(xid)
    if (!late) return
    // The entry stays: its reply will still come, in its order.
    const message = `no reply within ${Math.round(timeoutMs)} ms`
    late.reject(new NoReplyError(`${late.what}: ${message}`))
    const [oldest = late] = this.#pending.values()
    const silentMs = this.#now() - Math.max(oldest.sentAt, this.heardAt)
    if (silentMs >= this.#muteMs) this.end(new NoReplyError(message))
  }

  #onBytes(bytes: Buffer): void {
    this.heardAt = this.#now()
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes])
    let at = 0
    while (!this.#isClosed && this.#received.length >= at + 4) {
      const end = at + 4 + this.#received.readInt32BE(at)
      if (this.#received.length < end) break
      const frame = this.#received.subarray(at + 4, end)
      at = end
      this.#onFrame(new Reader(frame))
    }
    this.#received = this.#received.subarray(at)
  }

  #onFrame(reader: Reader): void {
    try {
      if (this.#isGreeted) {
        this.#onReply(reader)
        return
      }
      this.#isGreeted = true
      clearTimeout(this.#greetingLimit)
      this.#events.greeted(reader)
    } catch (error) {
      this.end(new Error('the server sent what is not ZooKeeper', { cause: error }))
    }
  }

  #onReply(reader: Reader): void {
    const xid = reader.int()
    const zxid = reader.long()
    const error = reader.int()
    switch (xid) {
      case xids.ping:
      case xids.setWatches:
        return
      case xids.auth:
        this.#events.authenticated(error)
        return
      case xids.event: {
        const type = reader.int()
        reader.int() // the state of the connection
        this.#events.watched(type, reader.text())
        return
      }
    }
    if (zxid > this.lastZxid) this.lastZxid = zxid
    this.#settle(xid, reader, error)
  }

  #settle(xid: number, reader: Reader, error: number): void {
    const [[expected, first] = []] = this.#pending
    if (!first || expected !== xid) {
      this.end(new Error(`the reply to request ${xid} came out of order`))
      return
    }
    this.#pending.delete(xid)
    if (error === code.sessionExpired || error === code.sessionMoved) {
      const over = new ZooKeeperError(error, first.what)
      first.reject(new NoReplyError(over.message))
      this.end(over)
      return
    }
    if (first.isWrite) this.#events.proven(first.heardOfAt)
    first.reply(reader, error)
  }

  #onClose(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#greetingLimit)
    this.#events.closed(this.#cause, this.#isGreeted)
    const cause = this.#cause
    const isRefused = cause instanceof ZooKeeperError && cause.isLasting
    for (const { what, reject } of this.#pending.values()) {
      reject(isRefused ? cause : new NoReplyError(`${what}: ${cause.message}`, { cause }))
    }
    this.#pending.clear()
  }
}
