import { InvalidArgumentError, kindOf } from '../engine/index.js'

/** @throws `InvalidArgumentError` for what takes no measurements */
export function checkSink(given: unknown): void {
  const has = (method: string): boolean =>
    typeof given === 'object' && given !== null && typeof Reflect.get(given, method) === 'function'
  if (has('record') && has('count')) return
  throw new InvalidArgumentError(`measure needs a sink with record and count, got ${kindOf(given)}`)
}

/** @throws `InvalidArgumentError` for what is no function */
export function checkGroup(given: unknown): void {
  if (given === undefined || typeof given === 'function') return
  throw new InvalidArgumentError(
    `group must be a function from the name of a lock to its group, got ${kindOf(given)}`,
  )
}
