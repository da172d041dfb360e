import { randomBytes } from 'node:crypto'
import type { Entry, LastListed, Queue } from '../sessions/index.js'
import { decode } from './paths.js'

/** What a directory of a queue lists. */
export interface QueueDirectory {
  /** In the order of their arrival. Tokens are not listed: 0. */
  readonly entries: readonly Entry[]
  /** The path of the size that is in force. */
  readonly sizePath: string | undefined
}

/** An entry as its node's name says it, and the number that the server gave it. */
export interface NumberedEntry extends Entry {
  readonly sequence: number
}

/** Sequence numbers have 32 bits, and wrap. */
export const byArrival = (a: NumberedEntry, b: NumberedEntry): number => (a.sequence - b.sequence) | 0

const sizePrefix = '='

/**
 * The start of the name of a size, to which the server adds a number. It is drawn, since numbers begin again when a directory is
 * removed and made again, and what a name stands for is known for good.
 */
export const newSizePrefix = (): string => `${sizePrefix}${randomBytes(9).toString('base64url')}~`

/** What else there is in a directory has this in its name. */
const isEntry = (name: string): boolean => !name.includes('=')

export const entriesIn = (names: readonly string[]): number => names.filter(isEntry).length

const sequenceOf = (size: string): number => Number(size.split('~').at(-1))

/** The path of the size that is in force: the last one. */
export function sizePathIn(path: string, names: readonly string[]): string | undefined {
  const size = names
    .filter((name) => name.startsWith(sizePrefix))
    .sort((a, b) => (sequenceOf(a) - sequenceOf(b)) | 0)
    .at(-1)
  return size === undefined ? undefined : `${path}/${size}`
}

/** @param last - what was made of the same directory before */
export function readDirectory(
  queue: Queue,
  path: string,
  names: readonly string[],
  last: LastListed<NumberedEntry>,
): QueueDirectory {
  const nodes = names.filter(isEntry)
  const entries = last.each(
    path,
    nodes,
    (name) => name,
    (name, before) => before ?? numberedOf(queue, path, name),
  )
  if (nodes.length === names.length) return { entries, sizePath: undefined }
  const left = permitsLeft(names)
  return {
    entries: entries.map((entry) => {
      const permits = left.get(entry.key.slice(path.length + 1))
      return permits === undefined ? entry : { ...entry, permits }
    }),
    sizePath: sizePathIn(path, names),
  }
}

function numberedOf(queue: Queue, path: string, name: string): NumberedEntry {
  const [owner = '', session = '', permits = '1', size = '1', sequence = ''] = name.split('~')
  return {
    queue,
    owner: decode(owner) ?? owner,
    session,
    key: `${path}/${name}`,
    permits: parseInt(permits, 36),
    size: parseInt(size, 36),
    token: 0,
    sequence: Number(sequence),
  }
}

/** By the entry's node: the fewest that any of its notes says. */
function permitsLeft(names: readonly string[]): ReadonlyMap<string, number> {
  const left = new Map<string, number>()
  for (const name of names) {
    const [node = '', permits] = name.split('=')
    if (node === '' || permits === undefined) continue
    left.set(node, Math.min(parseInt(permits, 36), left.get(node) ?? Infinity))
  }
  return left
}
