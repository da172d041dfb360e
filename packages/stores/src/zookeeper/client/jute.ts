/** What the server says of a node. Transaction numbers are below 2^53 for as long as an ensemble can live. */
export interface Stat {
  /** Of the transaction that made it. */
  readonly czxid: number
  /** Of the one that wrote its data last. */
  readonly mzxid: number
  /** When that was, by the leader's clock, milliseconds. */
  readonly mtime: number
  readonly ctime: number
  /** How often its data was written. */
  readonly version: number
  /** The session that it ends with; 0 for one that outlives them. */
  readonly ephemeralOwner: bigint
  /** How many children it has. */
  readonly childCount: number
}

/** Writes ZooKeeper's encoding. */
export class Writer {
  #bytes = Buffer.allocUnsafe(256)
  // The length of the frame comes first.
  #at = 4

  int(value: number): this {
    const at = this.#take(4)
    this.#bytes.writeInt32BE(value, at)
    return this
  }

  long(value: bigint): this {
    const at = this.#take(8)
    this.#bytes.writeBigInt64BE(value, at)
    return this
  }

  bool(value: boolean): this {
    const at = this.#take(1)
    this.#bytes.writeUInt8(value ? 1 : 0, at)
    return this
  }

  bytes(value: Uint8Array): this {
    this.int(value.length)
    const at = this.#take(value.length)
    this.#bytes.set(value, at)
    return this
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value))
  }

  texts(values: readonly string[]): this {
    this.int(values.length)
    for (const value of values) this.text(value)
    return this
  }

  /** All that was written, with its length in front. */
  frame(): Buffer {
    this.#bytes.writeInt32BE(this.#at - 4, 0)
    return this.#bytes.subarray(0, this.#at)
  }

  #take(count: number): number {
    const at = this.#at
    const end = at + count
    if (end > this.#bytes.length) {
      const longer = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, end))
      this.#bytes.copy(longer, 0, 0, at)
      this.#bytes = longer
    }
    this.#at = end
    return at
  }
}

/** Reads ZooKeeper's encoding. Throws a `RangeError` where bytes are missing. */
export class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  int(): number {
    const value = this.#bytes.readInt32BE(this.#at)
    this.#at += 4
    return value
  }

  long(): bigint {
    const value = this.#bytes.readBigInt64BE(this.#at)
    this.#at += 8
    return value
  }

  bool(): boolean {
    return this.#bytes.readUInt8(this.#at++) !== 0
  }

  bytes(): Buffer {
    // -1 stands for no bytes at all.
    const length = Math.max(0, this.int())
    const end = this.#at + length
    if (end > this.#bytes.length) throw new RangeError('a reply ends before it is complete')
    const value = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return value
  }

  text(): string {
    return this.bytes().toString()
  }

  texts(): string[] {
    const texts: string[] = []
    for (let left = this.int(); left > 0; left -= 1) texts.push(this.text())
    return texts
  }

  stat(): Stat {
    const [czxid, mzxid, ctime, mtime] = [this.long(), this.long(), this.long(), this.long()].map(Number)
    const version = this.int()
    this.int() // changes of children
    this.int() // changes of the access list
    const ephemeralOwner = this.long()
    this.int() // bytes of data
    const childCount = this.int()
    this.long() // the last change of children
    return {
      czxid: czxid ?? 0,
      mzxid: mzxid ?? 0,
      ctime: ctime ?? 0,
      mtime: mtime ?? 0,
      version,
      ephemeralOwner,
      childCount,
    }
  }
}
