import { randomBytes } from 'node:crypto'

/**
 * Drops the reply to one request, however many others are in flight.
 *
 * The request is sent between two marker commands. Replies come in order, so what arrives between the two markers'
 * echoes is the reply, and once the second one arrives, the server has executed the request.
 *
 * | State  | Meaning                               | Left when                                    |
 * | ------ | ------------------------------------- | -------------------------------------------- |
 * | before | earlier replies pass                  | the first marker arrived: dropping           |
 * | inside | everything is dropped                 | the second marker arrived: done              |
 * | done   | the request ran, its reply is lost    | never                                        |
 */
export class ReplyLoss {
  readonly #first = marker()
  readonly #second = marker()
  #state: 'before' | 'inside' | 'done' = 'before'
  #window: Buffer = Buffer.alloc(0)

  /** The bytes to send to the server instead of the request. */
  wrap(request: Buffer): Buffer {
    return Buffer.concat([ping(this.#first), request, ping(this.#second)])
  }

  get done(): boolean {
    return this.#state === 'done'
  }

  /** Takes the server's bytes and returns those to forward to the client. */
  pass(chunk: Buffer): Buffer {
    this.#window = Buffer.concat([this.#window, chunk])
    if (this.#state === 'before') {
      // Holding back from the marker's length line on is safe: no other reply starts with it.
      const echo = Buffer.from(`$${String(this.#first.length)}\r\n${this.#first}`)
      const at = this.#window.indexOf(echo)
      const passed = this.#window.subarray(
        0,
        at === -1 ? this.#window.length - overlap(this.#window, echo) : at,
      )
      this.#window = this.#window.subarray(passed.length)
      if (at !== -1) this.#state = 'inside'
      else return passed
      if (this.#window.includes(this.#second)) this.#state = 'done'
      return passed
    }
    if (this.#window.includes(this.#second)) this.#state = 'done'
    return Buffer.alloc(0)
  }
}

/** How many bytes at the end of `bytes` may be the start of `wanted`. */
function overlap(bytes: Buffer, wanted: Buffer): number {
  for (let length = Math.min(bytes.length, wanted.length - 1); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(wanted.subarray(0, length))) return length
  }
  return 0
}

function marker(): string {
  return randomBytes(16).toString('hex')
}

function ping(text: string): Buffer {
  return Buffer.from(`*2\r\n$4\r\nPING\r\n$${String(text.length)}\r\n${text}\r\n`)
}
