import { InvalidArgumentError } from '../errors/errors.js'
import { kindOf, shown } from '../util/mistakes.js'
import { guessOf } from './checks.js'

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
