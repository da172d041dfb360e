import { inspect } from 'node:util'
import { InvalidArgumentError } from '../errors.js'

const maxNameBytes = 1024

/** Refuses what cannot be the name of a lock with any engine. */
export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '') {
    throw new InvalidArgumentError(`name must be a non-empty string, got ${inspect(name)}`)
  }
  const bytes = Buffer.byteLength(name)
  if (bytes > maxNameBytes) {
    throw new InvalidArgumentError(
      `name must be at most ${maxNameBytes} bytes, got ${bytes}; lockName(text) makes a valid name of any text`,
      { lockName: name },
    )
  }
}
