import { NotEtcdError } from './failures.js'

/** A message as gRPC sends it: a byte that says whether it is compressed, its length, its bytes. */
export function frame(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(headLength + message.length)
  framed[0] = 0
  framed.writeUInt32BE(message.length, 1)
  message.copy(framed, headLength)
  return framed
}

const headLength = 5

/** Splits what arrives into messages, however the network joined or split them. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0)

  /** The messages that this chunk completes. */
  push(chunk: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Buffer[] = []
    while (this.#rest.length >= headLength) {
      if (this.#rest[0] !== 0) throw new NotEtcdError('the reply is compressed, which was not asked for')
      const end = headLength + this.#rest.readUInt32BE(1)
      if (this.#rest.length < end) break
      messages.push(this.#rest.subarray(headLength, end))
      this.#rest = this.#rest.subarray(end)
    }
    return messages
  }
}
