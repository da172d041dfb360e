/** Protocol buffers, as far as the calls of etcd need them: whole numbers, bytes and nested messages. */

/** A number, text, bytes or nested message. 0, '' and `undefined` are left out: they are what a missing field means. */
export type Value = number | bigint | boolean | string | Buffer | undefined

export type Field = readonly [number: number, value: Value]

/** The bytes of a message with these fields, in this order. */
export function encode(...fields: readonly Field[]): Buffer {
  const parts: Buffer[] = []
  for (const [number, value] of fields) {
    if (value === undefined || value === '') continue
    if (typeof value === 'string' || Buffer.isBuffer(value)) {
      const bytes = typeof value === 'string' ? Buffer.from(value) : value
      parts.push(varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes)
    } else if (value) parts.push(varint(BigInt(number << 3)), varint(BigInt.asUintN(64, BigInt(value))))
  }
  return Buffer.concat(parts)
}

/** Several fields of one number, as a repeated field has them. */
export const repeated = (number: number, values: readonly Buffer[]): Field[] =>
  values.map((value) => [number, value] as const)

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}

/** The bytes were no message. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError'
}

/** A message that was received. A field that is missing is 0, empty, or a message without fields. */
export class Message {
  // Side by side: most messages have a handful of fields, and a reply has hundreds of messages.
  readonly #fields: number[] = []
  readonly #values: (number | bigint | Buffer)[] = []

  /** @throws {@link MalformedError} */
  constructor(bytes: Buffer) {
    const reader = new Reader(bytes)
    while (!reader.isAtEnd) {
      const tag = Number(reader.varint())
      const field = tag >>> 3
      const type = tag & 7
      if (type === 0) this.#add(field, reader.varint())
      else if (type === 2) this.#add(field, reader.take(Number(reader.varint())))
      else if (type === 1 || type === 5) reader.take(type === 1 ? 8 : 4)
      else throw new MalformedError(`field ${field} has the unknown wire type ${type}`)
    }
  }

  /** A signed number of 64 bits. */
  big(field: number): bigint {
    return BigInt.asIntN(64, BigInt(this.#number(field)))
  }

  /** The same, of one that is below 2^53. */
  number(field: number): number {
    const value = this.#number(field)
    return typeof value === 'number' ? value : Number(BigInt.asIntN(64, value))
  }

  isTrue(field: number): boolean {
    return this.#number(field) === 1
  }

  text(field: number): string {
    return this.#bytes(field)?.toString() ?? ''
  }

  message(field: number): Message {
    return new Message(this.#bytes(field) ?? Buffer.alloc(0))
  }

  messages(field: number): Message[] {
    return this.#values.flatMap((value, i) =>
      this.#fields[i] === field && Buffer.isBuffer(value) ? [new Message(value)] : [],
    )
  }

  #add(field: number, value: number | bigint | Buffer): void {
    this.#fields.push(field)
    this.#values.push(value)
  }

  #number(field: number): number | bigint {
    const value = this.#values[this.#fields.indexOf(field)]
    return typeof value === 'number' || typeof value === 'bigint' ? value : 0
  }

  #bytes(field: number): Buffer | undefined {
    const value = this.#values[this.#fields.indexOf(field)]
    return Buffer.isBuffer(value) ? value : undefined
  }
}

/** So many bits are exact as a number of JavaScript, and end with a byte of theirs. */
const lowBits = 49
const allBits = 70

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** A large one as a `bigint`: they are slow, and there are four numbers in each key that is listed. */
  varint(): number | bigint {
    let low = 0
    for (let shift = 0; shift < lowBits; shift += 7) {
      const byte = this.#byte()
      low += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return low
    }
    let high = 0
    for (let shift = 0; shift < allBits - lowBits; shift += 7) {
      const byte = this.#byte()
      high += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return (BigInt(high) << BigInt(lowBits)) | BigInt(low)
    }
    throw new MalformedError('a number is longer than 64 bits')
  }

  take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw endsEarly()
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw endsEarly()
    this.#at += 1
    return byte
  }
}

const endsEarly = (): MalformedError => new MalformedError('the message ends in the middle of a field')
