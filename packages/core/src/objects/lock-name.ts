import { createHash } from 'node:crypto'
import { InvalidArgumentError } from '../errors/errors.js'
import { isWellFormed, shown } from '../util/mistakes.js'

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
