import type { Entry, EntryNote, LastListed, Listing, NewSize, Queue, Size } from '../sessions/index.js'
import { isEntryKey, isSizeKey, ownerOf } from './keys.js'
import type { Made } from './presence.js'
import type { KeyValue, RangeReply } from './wire/kv.js'

/** What is in the value of an entry. Short names: a queue of shared objects is listed with them. */
interface EntryValue {
  /** The permits. */
  readonly p: number
  /** How many there are in all, as the owner was told. */
  readonly s: number
  /** The hold count. */
  readonly c: number
  /** A lease that ends before the session does, milliseconds; 0: none does. */
  readonly l: number
  /** It got in, and those behind were told. */
  readonly m?: true | undefined
}

export interface EntryFacts {
  readonly permits: number
  readonly size: number
  readonly note: EntryNote
  readonly isMarked: boolean
}

export function valueOf({ permits, size, note, isMarked }: EntryFacts): string {
  const value: EntryValue = {
    p: permits,
    s: size,
    c: note.count,
    l: note.leaseMs,
    ...(isMarked && { m: true }),
  }
  return JSON.stringify(value)
}

/** The facts of an entry; those of a lock that was listed by its keys alone. */
export function factsOf(value: string): EntryFacts {
  const { p = 1, s = 1, c = 1, l = 0, m } = value === '' ? {} : (JSON.parse(value) as Partial<EntryValue>)
  return { permits: p, size: s, note: { count: c, leaseMs: l }, isMarked: m === true }
}

/** An entry, as it was seen at a revision: what happened to it since is what a watch from the next one on reports. */
export class EtcdEntry implements Entry {
  readonly queue: Queue
  readonly owner: string
  readonly session: string
  /** With the revision that made it: an owner that leaves and comes again has the same key of etcd. */
  readonly key: string
  readonly permits: number
  readonly size: number
  readonly token: number
  readonly facts: EntryFacts
  readonly writtenAt: number
  /** The last revision at which it was seen like this. */
  seenAt: number

  constructor(queue: Queue, { key, value, createdAt, writtenAt }: Omit<KeyValue, 'lease'>, seenAt: number) {
    const { owner, session } = ownerOf(key)
    this.facts = factsOf(value)
    this.queue = queue
    this.owner = owner
    this.session = session
    this.key = `${key}#${createdAt}`
    this.permits = this.facts.permits
    this.size = this.facts.size
    this.token = createdAt
    this.writtenAt = writtenAt
    this.seenAt = seenAt
  }
}

/** The key of etcd in that of an entry, and the revision that made it. */
export function madeOf({ key }: Pick<Entry, 'key'>): Made {
  const at = key.lastIndexOf('#')
  return { key: key.slice(0, at), createdAt: Number(key.slice(at + 1)) }
}

/** From when on a watch has to report what happens to the entry: at the latest after it was made. */
export const watchFrom = (entry: Entry): number =>
  (entry instanceof EtcdEntry ? entry.seenAt : madeOf(entry).createdAt) + 1

export const sizeValueOf = ({ size, id, keepMs, holders, before }: NewSize): string =>
  JSON.stringify({
    ...{ size, id, keepMs, holders },
    before: before && { size: before.size, holders: before.holders },
  })

/**
 * A queue, from the range of its keys in the order in which they were made.
 *
 * @param last - what was made of it before, in the same way
 */
export function listingOf(
  queue: Queue,
  prefix: string,
  { keys, revision }: RangeReply,
  last: LastListed<EtcdEntry>,
): Listing {
  const entries = last.each(
    prefix,
    keys.filter(({ key }) => isEntryKey(key)),
    ({ key }) => key,
    (each, before) => {
      if (before?.token !== each.createdAt || before.writtenAt !== each.writtenAt)
        return new EtcdEntry(queue, each, revision)
      before.seenAt = Math.max(before.seenAt, revision)
      return before
    },
  )
  return { entries, size: sizeIn(keys) }
}

/** A size is over when the key is gone that lasts as long. */
function sizeIn(keys: RangeReply['keys']): Size | undefined {
  const found = keys.find(({ key }) => isSizeKey(key))
  if (!found) return undefined
  const size = JSON.parse(found.value) as NewSize
  const lasts = keys.some(({ key }) => !isEntryKey(key) && !isSizeKey(key))
  return { ...size, version: found.writtenAt, isOver: size.size !== null && !lasts }
}
