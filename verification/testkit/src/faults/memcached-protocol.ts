import type { LossOfReply, Protocol } from './protocol.js'
import type { Request } from './request-stream.js'

const lineEnd = '\r\n'

/** Commands that bring a block of data, and which of their words says how long it is. */
const blocks: ReadonlyMap<string, number> = new Map([
  ...['set', 'add', 'replace', 'append', 'prepend', 'cas'].map((name) => [name, 4] as const),
  ['ms', 2],
])

/** Splits bytes into lines, each with the block of data that it announces. */
class Messages {
  readonly #blockLength: (words: readonly string[]) => number | undefined
  #pending: Buffer = Buffer.alloc(0)

  constructor(blockLength: (words: readonly string[]) => number | undefined) {
    this.#blockLength = blockLength
  }

  /** The messages that this chunk completes. */
  *push(chunk: Buffer): Generator<Request> {
    this.#pending = Buffer.concat([this.#pending, chunk])
    for (;;) {
      const end = this.#pending.indexOf(lineEnd)
      if (end === -1) return
      const text = this.#pending.toString('latin1', 0, end)
      const block = this.#blockLength(text.split(' '))
      const length = end + 2 + (block === undefined ? 0 : block + 2)
      if (this.#pending.length < length) return
      const bytes = this.#pending.subarray(0, length)
      this.#pending = this.#pending.subarray(length)
      yield { bytes, text }
    }
  }

  /** How many bytes of an incomplete message there are. */
  get pending(): number {
    return this.#pending.length
  }

  takeRest(): Buffer {
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    return rest
  }
}

/** memcached's text protocol, without `noreply` and quiet flags. A request's text is its first line: `add key 0 30 2`. */
export class MemcachedProtocol implements Protocol {
  readonly #requests = new Messages((words) => {
    const at = blocks.get(words[0] ?? '')
    return at === undefined ? undefined : Number(words[at])
  })
  readonly #replies = new Messages(([code, first, , length]) => {
    if (code === 'VA') return Number(first)
    return code === 'VALUE' ? Number(length) : undefined
  })
  /** Requests whose replies the client has not got in full. */
  #owed = 0

  takeRest(): Buffer {
    return this.#requests.takeRest()
  }

  *push(chunk: Buffer): Generator<Request> {
    for (const request of this.#requests.push(chunk)) {
      this.#owed += 1
      yield request
    }
  }

  seeReply(chunk: Buffer): void {
    for (const { text } of this.#replies.push(chunk)) if (isLast(text)) this.#owed -= 1
  }

  loseNext(): LossOfReply {
    const replies = this.#replies
    let before = this.#owed - 1
    /** Of the message that is incomplete. */
    let forwarded = replies.pending
    let isDone = false
    return {
      get done() {
        return isDone
      },
      wrap: (request) => request,
      pass: (chunk) => {
        const passed: Buffer[] = []
        for (const { bytes, text } of replies.push(chunk)) {
          const isOwn = before === 0
          if (isLast(text)) {
            isDone ||= isOwn
            before -= 1
          }
          if (!isOwn && before >= 0) passed.push(bytes.subarray(forwarded))
          forwarded = 0
        }
        return Buffer.concat(passed)
      },
    }
  }
}

/** Whether a reply ends with this line: those of `stats` and `get` have several. */
const isLast = (line: string): boolean => !/^(?:STAT|VALUE) /.test(line)
