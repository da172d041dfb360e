/** One command as a client sent it. */
export interface Request {
  /** The bytes, to be forwarded as they are. */
  readonly bytes: Buffer
  /** Its arguments joined by single spaces, such as `SET key value`. */
  readonly text: string
}

/**
 * Splits a client's bytes into complete requests, however the network split or joined them.
 *
 * Bytes that do not look like Redis's protocol pass through as one request per chunk.
 */
export class RequestStream {
  #pending: Buffer = Buffer.alloc(0)

  /** The requests that this chunk completes, in order. */
  push(chunk: Buffer): Request[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    const requests: Request[] = []
    let at = 0
    while (at < this.#pending.length) {
      const request = readRequest(this.#pending, at)
      if (!request) break
      requests.push(request)
      at += request.bytes.length
    }
    this.#pending = this.#pending.subarray(at)
    return requests
  }

  /** Removes and returns the bytes of an incomplete request. */
  takeRest(): Buffer {
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    return rest
  }
}

const star = 0x2a

function readRequest(bytes: Buffer, start: number): Request | null {
  if (bytes[start] !== star) {
    const rest = bytes.subarray(start)
    return { bytes: rest, text: rest.toString('utf8') }
  }
  const words: string[] = []
  const header = readNumberLine(bytes, start)
  if (!header) return null
  let at = header.end
  for (let n = 0; n < header.value; n += 1) {
    const length = readNumberLine(bytes, at)
    if (!length) return null
    const end = length.end + length.value
    if (end + 2 > bytes.length) return null
    words.push(bytes.toString('utf8', length.end, end))
    at = end + 2
  }
  return { bytes: bytes.subarray(start, at), text: words.join(' ') }
}

/** Reads a type byte, a number and the line end. */
function readNumberLine(bytes: Buffer, start: number): { value: number; end: number } | null {
  const lineEnd = bytes.indexOf('\r\n', start)
  if (lineEnd === -1) return null
  return { value: Number(bytes.toString('latin1', start + 1, lineEnd)), end: lineEnd + 2 }
}
