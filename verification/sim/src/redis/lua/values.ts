/** A value of Lua: nil is `undefined`, and the bytes of a string are its characters. */
export type LuaValue = undefined | boolean | number | string | Table | LuaFunction

/** One value as it is, any other number of them as a list. */
export type LuaResult = LuaValue | readonly LuaValue[]

export type LuaFunction = (...args: LuaValue[]) => LuaResult

/** What a script threw. */
export class LuaError extends Error {
  override readonly name = 'LuaError'
  readonly value: LuaValue

  constructor(value: LuaValue) {
    super(typeof value === 'string' ? value : 'a script failed')
    this.value = value
  }
}

/** A table, whose list from 1 on is kept apart from its other keys. */
export class Table {
  readonly list: LuaValue[]
  readonly #others = new Map<LuaValue, LuaValue>()

  constructor(list: LuaValue[] = []) {
    this.list = list
    this.#trim()
  }

  static of(fields: Readonly<Record<string, LuaValue>>): Table {
    const table = new Table()
    for (const [key, value] of Object.entries(fields)) table.set(key, value)
    return table
  }

  get length(): number {
    return this.list.length
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'number' && key >= 1 && key <= this.list.length) return this.list[key - 1]
    return this.#others.get(key)
  }

  set(key: LuaValue, value: LuaValue): void {
    if (key === undefined) throw new LuaError('table index is nil')
    const { list } = this
    if (typeof key === 'number' && Number.isInteger(key) && key >= 1 && key <= list.length + 1) {
      list[key - 1] = value
      if (value === undefined) this.#trim()
      else if (key === list.length) this.#adopt()
    } else if (value === undefined) this.#others.delete(key)
    else this.#others.set(key, value)
  }

  /** All of its keys and values. */
  entries(): (readonly [LuaValue, LuaValue])[] {
    return [...this.list.map((value, n) => [n + 1, value] as const), ...this.#others]
  }

  #trim(): void {
    const { list } = this
    while (list.length > 0 && list.at(-1) === undefined) list.pop()
  }

  /** Takes over what follows the list. */
  #adopt(): void {
    for (;;) {
      const next = this.list.length + 1
      const value = this.#others.size > 0 ? this.#others.get(next) : undefined
      if (value === undefined) return
      this.#others.delete(next)
      this.list.push(value)
    }
  }
}

export const isTrue = (value: LuaValue): boolean => value !== undefined && value !== false

export function typeOf(value: LuaValue): string {
  if (value === undefined) return 'nil'
  return value instanceof Table ? 'table' : typeof value
}

const decimal = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i

/** As a number: texts are read as one. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  if (decimal.test(value)) return Number(value)
  const [, sign, digits] = /^\s*(-?)0x([\da-f]+)\s*$/i.exec(value) ?? []
  if (digits !== undefined) return parseInt(digits, 16) * (sign === '-' ? -1 : 1)
  const [, sign2, word] = /^\s*([-+]?)(inf|infinity|nan)\s*$/i.exec(value) ?? []
  if (word === undefined) return undefined
  return word.toLowerCase() === 'nan' ? NaN : sign2 === '-' ? -Infinity : Infinity
}

/** As printf has it with `%.<digits>g`. */
export function general(value: number, digits: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 10 ** digits && Math.abs(value) < 1e21)
    return Object.is(value, -0) ? '-0' : String(value)
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '-nan' : value > 0 ? 'inf' : '-inf'
  const [mantissa = '', power = ''] = value.toExponential(digits - 1).split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < digits) {
    const fixed = value.toFixed(Math.max(0, digits - 1 - exponent))
    return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed
  }
  const sign = exponent < 0 ? '-' : '+'
  return `${mantissa.replace(/\.?0+$/, '')}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** As Lua prints it; `undefined` for what is neither text nor number. */
export function toText(value: LuaValue): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? general(value, 14) : undefined
}
