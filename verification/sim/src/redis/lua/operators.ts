import { isTrue, LuaError, Table, toNumber, toText, typeOf, type LuaResult, type LuaValue } from './values.js'

/** What compiled scripts call for what operators do in Lua. */
export class Operators {
  /** Of the latest call. */
  line = 0
  readonly #globals: ReadonlyMap<string, LuaValue>

  constructor(globals: ReadonlyMap<string, LuaValue>) {
    this.#globals = globals
  }

  readonly t = isTrue

  global(name: string): LuaValue {
    const value = this.#globals.get(name)
    if (value !== undefined) return value
    throw new LuaError(`Script attempted to access nonexistent global variable '${name}'`)
  }

  /** @param f - what is called, on that line */
  call(line: number, f: LuaValue, ...args: LuaValue[]): LuaResult {
    this.line = line
    if (typeof f === 'function') return f(...args)
    throw new LuaError(`attempt to call a ${typeOf(f)} value`)
  }

  first(result: LuaResult): LuaValue {
    return isList(result) ? result[0] : result
  }

  all(result: LuaResult): readonly LuaValue[] {
    return isList(result) ? result : [result]
  }

  n(value: LuaValue): number {
    const number = typeof value === 'number' ? value : toNumber(value)
    if (number !== undefined) return number
    throw new LuaError(`attempt to perform arithmetic on a ${typeOf(value)} value`)
  }

  s(value: LuaValue): string {
    const text = toText(value)
    if (text !== undefined) return text
    throw new LuaError(`attempt to concatenate a ${typeOf(value)} value`)
  }

  mod(a: number, b: number): number {
    return a - Math.floor(a / b) * b
  }

  length(value: LuaValue): number {
    if (typeof value === 'string' || value instanceof Table) return value.length
    throw new LuaError(`attempt to get length of a ${typeOf(value)} value`)
  }

  lt(a: LuaValue, b: LuaValue): boolean {
    if (typeof a === 'number' && typeof b === 'number') return a < b
    if (typeof a === 'string' && typeof b === 'string') return a < b
    throw incomparable(a, b)
  }

  le(a: LuaValue, b: LuaValue): boolean {
    if (typeof a === 'number' && typeof b === 'number') return a <= b
    if (typeof a === 'string' && typeof b === 'string') return a <= b
    throw incomparable(a, b)
  }

  index(base: LuaValue, key: LuaValue): LuaValue {
    if (base instanceof Table) return base.get(key)
    throw new LuaError(`attempt to index a ${typeOf(base)} value`)
  }

  setIndex(base: LuaValue, key: LuaValue, value: LuaValue): void {
    if (!(base instanceof Table)) throw new LuaError(`attempt to index a ${typeOf(base)} value`)
    base.set(key, value)
  }

  table(list: LuaValue[], others: readonly (readonly [LuaValue, LuaValue])[]): Table {
    const table = new Table(list)
    for (const [key, value] of others) table.set(key, value)
    return table
  }
}

const isList = (result: LuaResult): result is readonly LuaValue[] => Array.isArray(result)

const incomparable = (a: LuaValue, b: LuaValue): LuaError =>
  new LuaError(
    typeOf(a) === typeOf(b)
      ? `attempt to compare two ${typeOf(a)} values`
      : `attempt to compare ${typeOf(a)} with ${typeOf(b)}`,
  )
