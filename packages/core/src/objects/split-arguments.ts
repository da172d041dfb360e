import { isOptions, requireFunction } from '../options/checks.js'
import { InvalidArgumentError } from '../errors/errors.js'

/** The arguments of a method that takes options, which may be left out, and a function to run. */
export function splitArguments<O, F extends (...args: never[]) => unknown>(
  method: string,
  lockName: string | undefined,
  first: O | undefined | F,
  second: F | undefined,
): { readonly options: O | undefined; readonly fn: F } {
  const isFirst = (given: O | undefined | F): given is F => typeof given === 'function'
  if (isFirst(first)) {
    if (second === undefined) {
      requireFunction(method, first)
      return { options: undefined, fn: first }
    }
    throw new InvalidArgumentError(
      `${method} takes its options before the function: ${method}(options, fn)`,
      {
        lockName,
      },
    )
  }
  // What is no set of options was meant to be the function.
  if (second === undefined && !isOptions(first)) requireFunction(method, first)
  requireFunction(method, second)
  return { options: first, fn: second }
}
