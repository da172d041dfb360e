import type { LossOfReply, Protocol } from './protocol.js'
import type { Request } from './request-stream.js'

/** Requests by the numbers of ZooKeeper's protocol. */
const names: ReadonlyMap<number, string> = new Map([
  [1, 'create'],
  [2, 'delete'],
  [4, 'getData'],
  [5, 'setData'],
  [8, 'getChildren'],
  [9, 'sync'],
  [13, 'check'],
  [14, 'multi'],
  [15, 'create'],
  [19, 'createContainer'],
])

/** Splits bytes into frames, each behind its length. */
class Frames {
  #pending: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): Buffer[] {
    this.#pending = Buffer.concat([this.#pending, chunk])
    const frames: Buffer[] = []
    while (this.#pending.length >= 4) {
      const end = 4 + this.#pending.readInt32BE(0)
      if (this.#pending.length < end) break
      frames.push(this.#pending.subarray(0, end))
      this.#pending = this.#pending.subarray(end)
    }
    return frames
  }

  takeRest(): Buffer {
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    return rest
  }
}

/** ZooKeeper's protocol, without TLS. A request's text is what it does and its path: `create /locks/a`; of a multi that of its first operation; with ` watch` at its end if it also watches. */
export class ZooKeeperProtocol implements Protocol {
  readonly #requests = new Frames()
  readonly #replies = new Frames()
  #isGreeted = false
  #isAnswered = false
  #lastXid = 0

  takeRest(): Buffer {
    return this.#requests.takeRest()
  }

  *push(chunk: Buffer): Generator<Request> {
    for (const bytes of this.#requests.push(chunk)) {
      if (this.#isGreeted) this.#lastXid = bytes.readInt32BE(4)
      const text = this.#isGreeted && this.#lastXid > 0 ? textOf(bytes) : ''
      this.#isGreeted = true
      yield { bytes, text }
    }
  }

  seeReply(chunk: Buffer): void {
    if (this.#replies.push(chunk).length > 0) this.#isAnswered = true
  }

  loseNext(): LossOfReply {
    const xid = this.#lastXid
    const frames = this.#replies
    let isDone = false
    return {
      get done() {
        return isDone
      },
      wrap: (request) => request,
      pass: (chunk) => {
        // What is left of a frame was forwarded before.
        const passed: Buffer[] = []
        for (const frame of frames.push(chunk)) {
          if (this.#isAnswered && frame.readInt32BE(4) === xid) isDone = true
          if (isDone) break
          this.#isAnswered = true
          passed.push(frame)
        }
        return Buffer.concat(passed)
      },
    }
  }
}

const types = { getData: 4, getChildren: 8, multi: 14 } as const

function textOf(frame: Buffer): string {
  const type = frame.readInt32BE(8)
  const isMulti = type === types.multi
  // Of a multi each operation has a header of its own: its type, whether it is the last, and an error.
  const at = isMulti ? 21 : 12
  const name = names.get(type) ?? String(type)
  if (frame.length < at + 4) return name
  const operation = isMulti ? ` ${names.get(frame.readInt32BE(12)) ?? ''}` : ''
  const end = at + 4 + frame.readInt32BE(at)
  const isWatched = (type === types.getData || type === types.getChildren) && frame[end] === 1
  return `${name}${operation} ${frame.toString('utf8', at + 4, end)}${isWatched ? ' watch' : ''}`
}
