import { InvalidArgumentError } from '../errors/errors.js'
import { kindOf } from '../util/kind-of.js'
import { Lock, otherCopy } from './lock.js'

/**
 * The locks of a multi lock.
 *
 * @param lockOf - makes the lock of a name
 * @throws `InvalidArgumentError` for anything but an array of locks and names
 */
export function locksOf(members: readonly unknown[], lockOf: (name: string) => Lock): Lock[] {
  const given: unknown = members
  if (!Array.isArray(given) || given.length === 0) {
    const got = Array.isArray(given) ? 'an empty array' : kindOf(given)
    throw new InvalidArgumentError(
      `getMultiLock needs an array of at least one lock or lock name, got ${got}; write getMultiLock([lock, 'name'])`,
    )
  }
  // Unlike `map`, this does not skip the holes of an array.
  return Array.from(members, (member, i) => {
    if (member instanceof Lock) return member
    if (typeof member === 'string') return lockOf(member)
    throw new InvalidArgumentError(
      `members[${i}] of a multi lock must be a lock of this package or a lock name, got ${notALock(member)}`,
    )
  })
}

/** Names what cannot be a member of a multi lock, with what can be instead. */
function notALock(given: unknown): string {
  const kind = kindOf(given)
  if (kind === 'a read/write lock') return `${kind}: pass one of its sides, read or write`
  if (kind === 'a multi lock') return `${kind}: pass its members`
  return kind === 'a lock' ? otherCopy : kind
}
