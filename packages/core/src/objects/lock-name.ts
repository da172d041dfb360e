import { InvalidArgumentError } from '../errors/errors.js'
import { isWellFormed } from '../util/well-formed.js'
import { shown } from '../util/kind-of.js'

const maxNameBytes = 1024

/** Refuses names that are invalid with every engine. */
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
