import { randomBytes } from 'node:crypto'

/**
 * Swallows the reply to one request, however many others are on their way.
 *
 * A marker command before the request and one after it are sent to the server along with it. Replies come in order,
 * so what arrives between the two markers' echoes is the reply, and once the second is there, the server is done.
 *
 * | State  | True in it                            | Left when                                    |
 * | ------ | ------------------------------------- | -------------------------------------------- |
 * | before | earlier replies pass                  | the first marker came: swallowing            |
 * | inside | everything is swallowed               | the second marker came: done                 |
 * | done   | the request ran, its reply is lost    | never                                        |
 */
export class ReplyLoss {
  readonly #first = marker()
  readonly #second = marker()
  #state: 'before' | 'inside' | 'done' = 'before'
  #window: Buffer = Buffer.alloc(0)

  /** What the server is sent in place of the request. */
  wrap(request: Buffer): Buffer {
    return Buffer.concat([ping(this.#first), request, ping(this.#second)])
  }

  get done(): boolean {
    return this.#state === 'done'
  }

  /** Takes the server's bytes and returns those which the client may still have. */
  pass(chunk: Buffer): Buffer {
    this.#window = Buffer.concat([this.#window, chunk])
    if (this.#state === 'before') {
      // The marker is safe to keep back from its length line on: nobody else's reply starts with it.
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
