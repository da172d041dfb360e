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
  readonly #numbers = new Map<number, bigint>()
  readonly #bytes = new Map<number, Buffer[]>()

  /** @throws {@link MalformedError} */
  constructor(bytes: Buffer) {
    const reader = new Reader(bytes)
    while (!reader.isAtEnd) {
      const tag = Number(reader.varint())
      const number = tag >>> 3
      const type = tag & 7
      if (type === 0) this.#numbers.set(number, reader.varint())
      else if (type === 2) this.#add(number, reader.take(Number(reader.varint())))
      else if (type === 1 || type === 5) reader.take(type === 1 ? 8 : 4)
      else throw new MalformedError(`field ${number} has the unknown wire type ${type}`)
    }
  }

  /** A signed number of 64 bits. */
  big(number: number): bigint {
    return BigInt.asIntN(64, this.#numbers.get(number) ?? 0n)
  }

  number(number: number): number {
    return Number(this.big(number))
  }

  isTrue(number: number): boolean {
    return this.#numbers.get(number) === 1n
  }

  text(number: number): string {
    return this.#bytes.get(number)?.[0]?.toString() ?? ''
  }

  message(number: number): Message {
    return new Message(this.#bytes.get(number)?.[0] ?? Buffer.alloc(0))
  }

  messages(number: number): Message[] {
    return (this.#bytes.get(number) ?? []).map((bytes) => new Message(bytes))
  }

  #add(number: number, bytes: Buffer): void {
    const there = this.#bytes.get(number)
    if (there) there.push(bytes)
    else this.#bytes.set(number, [bytes])
  }
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const [byte] = this.take(1)
      value |= BigInt((byte ?? 0) & 0x7f) << shift
      if ((byte ?? 0) < 0x80) return value
    }
    throw new MalformedError('a number is longer than 64 bits')
  }

  take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new MalformedError('the message ends in the middle of a field')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
