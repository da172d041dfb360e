import type { LossOfReply, Protocol } from './protocol.js'
import type { Request } from './request-stream.js'

/** Three bytes of length, and one of the packet's number within its exchange. */
const headerBytes = 4

/** MySQL's protocol, without TLS and compression. A client sends a packet when it has the reply to the one before. */
export class MysqlProtocol implements Protocol {
  #pending: Buffer = Buffer.alloc(0)

  takeRest(): Buffer {
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    return rest
  }

  *push(chunk: Buffer): Generator<Request> {
    this.#pending = Buffer.concat([this.#pending, chunk])
    while (this.#pending.length >= headerBytes) {
      const end = headerBytes + this.#pending.readUIntLE(0, 3)
      if (this.#pending.length < end) return
      const bytes = this.#pending.subarray(0, end)
      this.#pending = this.#pending.subarray(end)
      yield { bytes, text: textOf(bytes) }
    }
  }

  seeReply(): void {
    // There is one at a time.
  }

  loseNext(): LossOfReply {
    let done = false
    return {
      get done() {
        return done
      },
      wrap: (request) => request,
      // A statement that changes something was carried out when the first byte of its reply is there.
      pass: () => {
        done = true
        return Buffer.alloc(0)
      },
    }
  }
}

/** A statement without the byte that says that it is one; what else a packet has means nothing. */
const textOf = (packet: Buffer): string => packet.toString('latin1', headerBytes + 1)
