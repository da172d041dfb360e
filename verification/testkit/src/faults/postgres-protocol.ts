import type { LossOfReply, Protocol } from './protocol.js'
import type { Request } from './request-stream.js'

/** A message: its type, and where it ends. */
interface Message {
  readonly type: string
  readonly end: number
}

/** Reads a type byte and a length that counts itself; `null` while the message is incomplete. */
function readMessage(bytes: Buffer, start: number, hasType: boolean): Message | null {
  const lengthAt = hasType ? start + 1 : start
  if (lengthAt + 4 > bytes.length) return null
  const end = lengthAt + bytes.readInt32BE(lengthAt)
  return end > bytes.length ? null : { type: hasType ? bytes.toString('latin1', start, start + 1) : '', end }
}

/** What ends a request: Sync, a simple query, the end of the connection, and each step of the start. */
const isLastOfRequest = (type: string): boolean => ['', 'S', 'Q', 'X', 'p'].includes(type)

/** Counts the messages by which a server says that it is ready for the next request. */
class ReadyCount {
  count = 0
  #pending: Buffer = Buffer.alloc(0)

  see(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk])
    let at = 0
    for (;;) {
      const message = readMessage(this.#pending, at, true)
      if (!message) break
      if (message.type === 'Z') this.count += 1
      at = message.end
    }
    this.#pending = this.#pending.subarray(at)
  }
}

/** PostgreSQL's protocol, version 3, without TLS. Requests may be pipelined. */
export class PostgresProtocol implements Protocol {
  readonly #ready = new ReadyCount()
  #pending: Buffer = Buffer.alloc(0)
  #scanned = 0
  #hasStarted = false
  /** How many requests were sent that end in ReadyForQuery; the start counts as one. */
  #sent = 0

  takeRest(): Buffer {
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    this.#scanned = 0
    return rest
  }

  *push(chunk: Buffer): Generator<Request> {
    this.#pending = Buffer.concat([this.#pending, chunk])
    for (;;) {
      const message = readMessage(this.#pending, this.#scanned, this.#hasStarted)
      if (!message) return
      if (!this.#hasStarted || message.type === 'S' || message.type === 'Q') this.#sent += 1
      this.#hasStarted = true
      this.#scanned = message.end
      if (!isLastOfRequest(message.type)) continue
      const bytes = this.#pending.subarray(0, message.end)
      this.#pending = this.#pending.subarray(message.end)
      this.#scanned = 0
      yield { bytes, text: bytes.toString('latin1') }
    }
  }

  seeReply(chunk: Buffer): void {
    this.#ready.see(chunk)
  }

  loseNext(): LossOfReply {
    const ready = this.#ready
    const wanted = this.#sent
    return {
      get done() {
        return ready.count >= wanted
      },
      wrap: (request) => request,
      // Replies to earlier requests may be lost with it, as when a connection breaks.
      pass: (chunk) => {
        ready.see(chunk)
        return Buffer.alloc(0)
      },
    }
  }
}
