/** The reply to one command. */
export interface Reply {
  /** The first word, such as `HD`, `VA` or `STORED`; of statistics `END`. */
  readonly code: string
  /** The other words of that line, such as the flags of a meta command. */
  readonly words: readonly string[]
  /** Of `VA`. */
  readonly value: string
  /** Of the command `stats`. */
  readonly stats: ReadonlyMap<string, string>
}

/** Lines are far shorter. */
const longestLine = 8_192
const noStats: ReadonlyMap<string, string> = new Map()

/** Splits a server's bytes into replies, however the network split or joined them. */
export class ReplyStream {
  #pending: Buffer = Buffer.alloc(0)
  #stats = new Map<string, string>()

  /**
   * The replies that these bytes complete, in order.
   *
   * @throws Error for bytes that are not of memcached's protocol
   */
  push(bytes: Buffer): Reply[] {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    const replies: Reply[] = []
    let at = 0
    for (;;) {
      const end = this.#pending.indexOf('\r\n', at)
      if (end === -1) break
      const [code = '', ...words] = this.#pending.toString('latin1', at, end).split(' ')
      let next = end + 2
      let value = ''
      if (code === 'VA') {
        const valueEnd = next + lengthOf(words[0])
        if (this.#pending.length < valueEnd + 2) break
        value = this.#pending.toString('utf8', next, valueEnd)
        next = valueEnd + 2
      }
      at = next
      if (code === 'STAT') this.#stats.set(words[0] ?? '', words.slice(1).join(' '))
      else replies.push({ code, words, value, stats: this.#takeStats() })
    }
    this.#pending = this.#pending.subarray(at)
    if (this.#pending.length > longestLine && !this.#pending.includes('\r\n'))
      throw new Error('it sent a line without an end')
    return replies
  }

  #takeStats(): ReadonlyMap<string, string> {
    if (this.#stats.size === 0) return noStats
    const stats = this.#stats
    this.#stats = new Map()
    return stats
  }
}

function lengthOf(word: string | undefined): number {
  if (word === undefined || !/^\d{1,10}$/.test(word)) throw new Error(`it sent a value of length ${word}`)
  return Number(word)
}
