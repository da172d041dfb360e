import { createHash } from 'node:crypto'
import { types } from 'node:util'
import { InvalidArgumentError } from '../errors/errors.js'
import { longestMs } from '../time/time.js'
import { isWellFormed, kindOf, knownKindOf, nearestName, shown } from '../util/mistakes.js'

/** Checks of options: each names the option, the value and the bound. */

export function requireInteger(
  option: string,
  value: unknown,
  least: number,
  more = '',
  most = longestMs,
): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new InvalidArgumentError(
      `${option} must be an integer from ${least} to ${most}${more}, got ${shown(value)}`,
    )
  }
}

export function checkInteger(option: string, value: unknown, least: number, more = ''): void {
  if (value !== undefined) requireInteger(option, value, least, more)
}

export function requireFunction(
  method: string,
  given: unknown,
): asserts given is (...args: never[]) => unknown {
  if (typeof given !== 'function') {
    quieten(given)
    const kind = shown(given)
    const advice = kind === 'a promise' ? `: write ${method}(() => doWork())` : ''
    throw new InvalidArgumentError(`${method} needs a function to run, got ${kind}${advice}`)
  }
  if (types.isGeneratorFunction(given)) {
    throw new InvalidArgumentError(
      `${method} needs a function that does its work, got a generator function, whose work begins only after it has returned: write ` +
        `${method}(async () => { for await (const each of steps()) … })`,
    )
  }
}

/** The work of a refused promise has begun, and nobody else will look at how it ends: that must not end the process. */
function quieten(given: unknown): void {
  if (types.isPromise(given)) given.catch(() => undefined)
}

export function checkString(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') {
    throw new InvalidArgumentError(`${option} must be a string, got ${shown(value)}`)
  }
}

export function checkBoolean(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean') {
    throw new InvalidArgumentError(`${option} must be true or false, got ${shown(value)}`)
  }
}

export function checkObject(options: unknown, hint = ''): asserts options is object {
  if (!isOptions(options)) throw notOptions(options, hint)
}

/** A lock or a client has no properties of its own, and would be taken for empty options. */
export const isOptions = (given: unknown): given is object =>
  typeof given === 'object' &&
  given !== null &&
  !Array.isArray(given) &&
  (Object.getPrototypeOf(given) === Object.prototype || knownKindOf(given) === undefined)

const validOf = (known: ReadonlySet<string>): string => `; valid options: ${[...known].join(', ')}`

/** What a value in place of the options is meant for: the first of these options that there is. */
const likelyOptions: Readonly<Record<string, readonly string[]>> = {
  'a number': ['permits', 'waitMs', 'drainMs', 'keepMs', 'withinMs'],
  'a string': ['as', 'pattern', 'owner'],
}

/** How to write what stops a call as an option. */
const signalOptions: Readonly<Record<string, string>> = {
  'an AbortSignal': 'signal',
  'an AbortController': 'signal: controller.signal',
}

function notOptions(given: unknown, hint: string, known?: ReadonlySet<string>): InvalidArgumentError {
  const kind = kindOf(given)
  const likely = likelyOptions[kind]?.find((option) => known?.has(option))
  const inFull = likely === undefined ? undefined : `${likely}: ${shown(given)}`
  const option = inFull ?? (known?.has('signal') ? signalOptions[kind] : undefined)
  const example = option === undefined ? '' : `; write { ${option} }`
  return new InvalidArgumentError(`options must be an object, got ${kind}${example}${hint}`)
}

/** Refuses a second argument, which would be ignored silently. */
export function refuseSecond(second: unknown, advice: string): void {
  if (second !== undefined) throw new InvalidArgumentError(advice)
}

/** The second argument of a call, unless it is the index that `Array.map` passes, with the array as the third. */
export const unlessIndex = <T>(second: T, third: unknown): T | undefined =>
  typeof second === 'number' && Array.isArray(third) ? undefined : second

/**
 * Refuses options that do not exist. Allocates nothing for those that do: this runs on every call.
 *
 * @param hint - what to do, in case one does not exist
 */
export function checkOptions(options: unknown, known: ReadonlySet<string>, hint = ''): void {
  if (!isOptions(options)) throw notOptions(options, hint + validOf(known), known)
  for (const option in options) {
    if (known.has(option)) continue
    if (knownKindOf(options) !== undefined) throw notOptions(options, hint + validOf(known))
    throw unknownName('option', option, [...known], hint)
  }
}

export function unknownName(
  kind: string,
  given: unknown,
  names: readonly string[],
  hint = '',
): InvalidArgumentError {
  return new InvalidArgumentError(
    `unknown ${kind} ${shown(given)}${guessOf(given, names)}${hint}; valid ${kind}s: ${names.join(', ')}`,
  )
}

/** The name that was probably meant, to be appended to the one that was given; empty if there is none. */
function guessOf(given: unknown, names: readonly string[]): string {
  const nearest = typeof given === 'string' ? nearestName(given, names) : undefined
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`
}

/** What the value of an option may be: `${option} must be ${must}`. */
export interface OptionCheck {
  readonly must: string
  readonly accepts: (value: unknown) => boolean
  /** How a wrong value is named. By default it is shown. */
  readonly got?: (value: unknown) => string
}

export type OptionChecks = Readonly<Record<string, OptionCheck>>

/** The client libraries of databases take `null` to mean that there is none. */
const orNull = ({ accepts, ...check }: OptionCheck): OptionCheck => ({
  ...check,
  accepts: (value) => value === null || accepts(value),
})

const isDigits = (value: unknown): value is string => typeof value === 'string' && /^\d+$/.test(value)

/** Or its digits, as an environment variable and the query of a URL have them. */
function integer(least: number, most = Infinity): OptionCheck {
  const accepts = (value: unknown): boolean => {
    const number = isDigits(value) ? Number(value) : value
    return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
  }
  return {
    must: `an integer ${most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`}`,
    accepts,
  }
}

const oneOf = (...values: readonly unknown[]): OptionCheck =>
  orNull({ must: `one of ${values.join(', ')}`, accepts: (value) => values.includes(value) })

const aKind = (must: string, accepts: OptionCheck['accepts']): OptionCheck =>
  orNull({ must, accepts, got: (value) => (value === '' ? "''" : kindOf(value)) })

/** What most options of client libraries are. */
export const valueChecks = {
  any: { must: '', accepts: () => true } satisfies OptionCheck,
  text: aKind('a string', (value) => typeof value === 'string'),
  address: aKind('a string that is not empty', (value) => typeof value === 'string' && value !== ''),
  fn: aKind('a function', (value) => typeof value === 'function'),
  /** In the query of a URL, any text would be taken to mean `true`. */
  trueOrFalse: aKind('true or false', (value) => typeof value === 'boolean' || value === 'true'),
  map: aKind('an object', (value) => typeof value === 'object'),
  port: integer(1, 65_535),
  amount: orNull({
    must: 'a number of at least 0',
    accepts: (value) => (typeof value === 'number' ? value >= 0 : isDigits(value)),
  }),
  integer,
  oneOf,
  aKind,
}

/**
 * Refuses options that the library they are for would ignore, and connect to this machine instead.
 *
 * @param option - what they were given as
 * @param elsewhere - what other libraries call them, with what to do here
 * @param advice - which there are
 */
export function checkNames(
  given: object,
  names: readonly string[],
  option: string,
  elsewhere: Readonly<Record<string, string>>,
  advice: string,
): void {
  for (const name in given) {
    if (names.includes(name)) continue
    const hint = elsewhere[name] ?? guessOf(name, names)
    throw new InvalidArgumentError(`unknown option ${shown(name)} of ${option}${hint}${advice}`)
  }
}

/** @param placeOf - what errors call one of them */
export function checkValues(given: object, checks: OptionChecks, placeOf: (name: string) => string): void {
  for (const [name, { must, accepts, got = shown }] of Object.entries(checks)) {
    const value: unknown = Reflect.get(given, name)
    if (value === undefined || accepts(value)) continue
    throw new InvalidArgumentError(`${placeOf(name)} must be ${must}, got ${got(value)}`)
  }
}

const maxNameBytes = 1024

export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '') {
    throw new InvalidArgumentError(`name must be a non-empty string, got ${shown(name)}`)
  }
  const bytes = Buffer.byteLength(name)
  if (bytes > maxNameBytes) {
    throw new InvalidArgumentError(
      `name must be at most ${maxNameBytes} bytes, got ${bytes}; lockName(text) makes a valid name from any text`,
      { lockName: name },
    )
  }
  // UTF-8 encodes all of these as the same character, so different names would mean one lock.
  if (!isWellFormed(name)) {
    throw new InvalidArgumentError(
      `name must be well-formed Unicode, got ${shown(name)}; lockName(text) makes a valid name from any text`,
      { lockName: name },
    )
  }
}

const longestBytes = 256
const keptOfLong = 40

/**
 * Makes a valid lock name from any text, such as user input. Sends nothing.
 *
 * Different texts get different names, and remain different as parts of a longer name, separated by colons. Most texts are
 * their own name. `%`, `:`, braces and control characters are percent-encoded, as is the last letter of texts that name keys of
 * Holdfast, such as `fifo` and `semaphore`. An unpaired surrogate becomes `%uD800`, and the empty text `%no-text`. A result that is longer than
 * 256 bytes becomes its first 40 characters, `%sha256-` and the SHA-256 of all of it.
 *
 * The same text gets the same name in every version: clients of different versions share locks.
 *
 * @returns a name of 1 to 256 bytes, without colons and braces
 * @throws `InvalidArgumentError` for anything but a string
 */
export function lockName(text: string): string {
  const given: unknown = text
  if (typeof given !== 'string') {
    throw new InvalidArgumentError(`lockName needs a string, got ${shown(given)}`)
  }
  const name = escaped(text)
  return Buffer.byteLength(name) <= longestBytes ? name : shortened(name)
}

/** Only categories of Unicode that never change: with others, names would depend on the version of Node.js. */
const unsafe = /[%:{}\p{Cc}\p{Cs}]/gu
const unpairedSurrogate = /\p{Cs}/u
/** After a colon these would read as keys of Holdfast. */
const reserved = /^(fifo|waiters|fence|rw|semaphore|latch|ends|size|counted)$/

/** After each `%` comes a hexadecimal digit or a `u`, so no text is escaped to what starts with `%no` or contains `%sha`. */
function escaped(text: string): string {
  if (text === '') return '%no-text'
  if (reserved.test(text)) return text.slice(0, -1) + `%${hexadecimal(text.slice(-1))}`
  return text.replace(unsafe, (character) =>
    unpairedSurrogate.test(character) ? `%u${hexadecimal(character)}` : encodeURIComponent(character),
  )
}

const hexadecimal = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase()

function shortened(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex')
  // Half of a surrogate pair would not survive UTF-8.
  const head = name.slice(0, keptOfLong).replace(unpairedSurrogate, '')
  return `${head}%sha256-${digest}`
}
