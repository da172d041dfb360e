import { patternOf } from './patterns.js'
import {
  isTrue,
  LuaError,
  Table,
  toNumber,
  toText,
  typeOf,
  type LuaFunction,
  type LuaResult,
  type LuaValue,
} from './values.js'

/** What every script finds under global names, but for `redis`, `KEYS` and `ARGV`. */
export const library: ReadonlyMap<string, LuaValue> = new Map<string, LuaValue>([
  ['tonumber', (value) => toNumber(value)],
  ['tostring', (value) => toText(value) ?? (typeof value === 'boolean' ? String(value) : typeOf(value))],
  ['type', (value) => typeOf(value)],
  ['unpack', (list, from = 1, to = tableOf(list).length) => listed(tableOf(list), from, to)],
  ['ipairs', (list) => [nextInList, list, 0]],
  ['pairs', (table) => pairs(tableOf(table))],
  [
    'error',
    (value) => {
      throw new LuaError(value)
    },
  ],
  ['math', ofMath()],
  ['table', ofTables()],
  ['string', ofStrings()],
])

const nextInList: LuaFunction = (list, n) => {
  const next = numberOf(n) + 1
  const value = tableOf(list).get(next)
  return value === undefined ? undefined : [next, value]
}

function pairs(table: Table): LuaResult {
  const entries = table.entries()
  let at = 0
  return [() => entries[at++]]
}

function listed(list: Table, from: LuaValue, to: LuaValue): LuaValue[] {
  const values: LuaValue[] = []
  for (let n = numberOf(from); n <= numberOf(to); n += 1) values.push(list.get(n))
  return values
}

function ofMath(): Table {
  return Table.of({
    floor: (value) => Math.floor(numberOf(value)),
    ceil: (value) => Math.ceil(numberOf(value)),
    abs: (value) => Math.abs(numberOf(value)),
    max: (...values) => Math.max(...values.map(numberOf)),
    min: (...values) => Math.min(...values.map(numberOf)),
    huge: Infinity,
  })
}

function ofTables(): Table {
  return Table.of({
    concat: (list, separator = '') => tableOf(list).list.map(textOf).join(textOf(separator)),
    insert: (list, value) => {
      const { length } = tableOf(list)
      tableOf(list).set(length + 1, value)
      return []
    },
    sort: (list, isBefore) => {
      const before = (a: LuaValue, b: LuaValue): boolean =>
        typeof isBefore === 'function' ? isTrue(oneOf(isBefore(a, b))) : naturally(a, b)
      tableOf(list).list.sort((a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : 0))
      return []
    },
  })
}

const naturally = (a: LuaValue, b: LuaValue): boolean =>
  typeof a === 'number' && typeof b === 'number' ? a < b : textOf(a) < textOf(b)

function ofStrings(): Table {
  return Table.of({
    len: (text) => textOf(text).length,
    lower: (text) => textOf(text).toLowerCase(),
    upper: (text) => textOf(text).toUpperCase(),
    rep: (text, times) => textOf(text).repeat(Math.max(0, numberOf(times))),
    sub: (text, from = 1, to = -1) => {
      const [start, end] = bounds(textOf(text), numberOf(from), numberOf(to))
      return textOf(text).slice(start, end)
    },
    byte: (text, from = 1, to = from) => {
      const [start, end] = bounds(textOf(text), numberOf(from), numberOf(to))
      return Array.from(textOf(text).slice(start, end), (char) => char.charCodeAt(0))
    },
    char: (...codes) => String.fromCharCode(...codes.map(numberOf)),
    format: (form, ...values) => format(textOf(form), values),
    find: (text, pattern, from = 1, isPlain) => find(textOf(text), textOf(pattern), numberOf(from), isPlain),
    match: (text, pattern) => {
      const found = search(textOf(text), textOf(pattern), 0)
      return found ? captures(found) : undefined
    },
    gmatch: (text, pattern) => {
      let at = 0
      return () => {
        const found = search(textOf(text), textOf(pattern), at)
        if (!found) return undefined
        at = found.index + Math.max(1, found[0].length)
        return captures(found)
      }
    },
    gsub: (text, pattern, replacement) => substitute(textOf(text), textOf(pattern), replacement),
  })
}

function search(text: string, pattern: string, at: number): RegExpExecArray | null {
  const expression = patternOf(pattern)
  expression.lastIndex = at
  return expression.exec(text)
}

/** Those of the pattern, or all of it if it has none. */
function captures(found: RegExpExecArray): LuaResult {
  return found.length === 1 ? found[0] : found.slice(1)
}

function find(text: string, pattern: string, from: number, isPlain: LuaValue): LuaResult {
  const at = Math.max(0, from - 1)
  if (isTrue(isPlain)) {
    const start = text.indexOf(pattern, at)
    return start === -1 ? undefined : [start + 1, start + pattern.length]
  }
  const found = search(text, pattern, at)
  return found ? [found.index + 1, found.index + found[0].length, ...found.slice(1)] : undefined
}

function substitute(text: string, pattern: string, replacement: LuaValue): LuaResult {
  let count = 0
  const expression = patternOf(pattern)
  expression.lastIndex = 0
  const replaced = text.replace(expression, (...parts: unknown[]) => {
    count += 1
    const texts = parts.filter((part): part is string => typeof part === 'string').slice(0, -1)
    const [whole = '', first = whole] = texts
    if (typeof replacement === 'function') return toText(oneOf(replacement(first))) ?? whole
    if (replacement instanceof Table) return toText(replacement.get(first)) ?? whole
    return textOf(replacement).replace(/%(\d)/g, (_, n: string) =>
      n === '0' ? whole : (texts[Number(n)] ?? first),
    )
  })
  return [replaced, count]
}

function format(form: string, values: readonly LuaValue[]): string {
  let at = 0
  return form.replace(
    /%(?:%|(\.\d+)?([a-z]))/g,
    (all: string, precision: string | undefined, kind: string) => {
      if (all === '%%') return '%'
      const value = values[at]
      at += 1
      switch (kind) {
        case 's':
          return textOf(value)
        case 'd':
        case 'i':
          return wholeText(Math.trunc(numberOf(value)))
        case 'f':
          return precision === '.0'
            ? wholeText(roundHalfEven(numberOf(value)))
            : numberOf(value).toFixed(Number(precision?.slice(1) ?? 6))
        default:
          throw new LuaError(`invalid option '${all}' to 'format'`)
      }
    },
  )
}

const wholeText = (value: number): string =>
  Number.isFinite(value) ? BigInt(value).toString() : String(value)

function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

/** From and to, as Lua counts them, as `slice` takes them. */
function bounds({ length }: string, from: number, to: number): readonly [start: number, end: number] {
  const start = from < 0 ? Math.max(0, length + from) : Math.max(0, from - 1)
  const end = to < 0 ? length + to + 1 : to
  return [start, Math.max(start, end)]
}

const oneOf = (result: LuaResult): LuaValue =>
  Array.isArray(result) ? (result as LuaValue[])[0] : (result as LuaValue)

function numberOf(value: LuaValue): number {
  const number = toNumber(value)
  if (number !== undefined) return number
  throw new LuaError(`bad argument (number expected, got ${typeOf(value)})`)
}

function textOf(value: LuaValue): string {
  const text = toText(value)
  if (text !== undefined) return text
  throw new LuaError(`bad argument (string expected, got ${typeOf(value)})`)
}

function tableOf(value: LuaValue): Table {
  if (value instanceof Table) return value
  throw new LuaError(`bad argument (table expected, got ${typeOf(value)})`)
}
