import type { LossOfReply, Protocol } from './protocol.js'
import type { Request } from './request-stream.js'

/** What a client says before its first frame: `PRI * HTTP/2.0` and so on. */
const prefaceLength = 24
const headLength = 9

/** The head of a frame, and where the frame ends. */
interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly end: number
}

const dataType = 0
const headersType = 1
const endOfStream = 1

/** Reads the head of a frame; `null` while it is incomplete. */
function readFrame(bytes: Buffer, at: number): Frame | null {
  if (at + headLength > bytes.length) return null
  return {
    type: bytes.readUInt8(at + 3),
    flags: bytes.readUInt8(at + 4),
    stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
    end: at + headLength + bytes.readUIntBE(at, 3),
  }
}

/** HTTP/2 without TLS, as gRPC uses it: a request is the body of a stream that the client ends with it. */
export class Http2Protocol implements Protocol {
  #pending: Buffer = Buffer.alloc(0)
  #hasPreface = false
  #lastStream = 0
  readonly #replies = new FrameHeads()

  takeRest(): Buffer {
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    return rest
  }

  *push(chunk: Buffer): Generator<Request> {
    this.#pending = Buffer.concat([this.#pending, chunk])
    if (!this.#hasPreface) {
      if (this.#pending.length < prefaceLength) return
      this.#hasPreface = true
      yield { bytes: this.#take(prefaceLength), text: '' }
    }
    for (;;) {
      const frame = readFrame(this.#pending, 0)
      if (!frame || frame.end > this.#pending.length) return
      const bytes = this.#take(frame.end)
      const isRequest = frame.type === dataType && (frame.flags & endOfStream) !== 0
      if (isRequest) this.#lastStream = frame.stream
      yield { bytes, text: isRequest ? bytes.toString('latin1', headLength) : '' }
    }
  }

  seeReply(chunk: Buffer): void {
    this.#replies.beforeStream(chunk, -1)
  }

  loseNext(): LossOfReply {
    const replies = this.#replies
    const stream = this.#lastStream
    let isDone = false
    return {
      get done() {
        return isDone
      },
      wrap: (request) => request,
      // Replies to others pass until this one begins.
      pass: (chunk) => {
        const before = replies.beforeStream(chunk, stream)
        if (before !== null) isDone = true
        return before === null ? chunk : chunk.subarray(0, before)
      },
    }
  }

  #take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    return taken
  }
}

/** Finds the frames in what a server sends, however the network splits it. */
class FrameHeads {
  /** Of a frame whose head is incomplete. */
  #head: Buffer = Buffer.alloc(0)
  /** How much of the last frame is still to come. */
  #owed = 0

  /** Where in this chunk the reply to a stream begins; `null`: it does not. */
  beforeStream(chunk: Buffer, stream: number): number | null {
    const bytes = Buffer.concat([this.#head, chunk])
    const seen = this.#head.length
    let at = this.#owed
    let found: number | null = null
    for (;;) {
      const frame = readFrame(bytes, at)
      if (!frame) break
      const isReply = frame.type === dataType || frame.type === headersType
      if (isReply && frame.stream === stream) found ??= Math.max(0, at - seen)
      at = frame.end
    }
    this.#owed = Math.max(0, at - bytes.length)
    this.#head = bytes.subarray(Math.min(at, bytes.length))
    return found
  }
}
