import { checkOptions } from './checks.js'
import { isOwner } from '../engine/requests.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { isEvictor } from '../holding/loss.js'
import { shown } from '../util/mistakes.js'

/** Whom `forceUnlock` evicts, and on whose behalf. */
export interface ForceOptions {
  /**
   * Evicts this owner only, as `inspect()` shows it. If it is left out, the one that holds the lock by then; `undefined` is
   * refused, since a lock that was free when you looked may have a holder by now.
   */
  readonly owner?: string
  /**
   * Who evicts it: 1 to 200 printable characters, such as `ada@ops`. The evicted holder finds it in `LockLostError.by` and in
   * the message, if the engine can pass it on and its client gets it in time.
   */
  readonly by?: string | undefined
}

const forceOptions: Record<keyof ForceOptions, true> = { owner: true, by: true }
const forceOptionNames = new Set(Object.keys(forceOptions))

/** Checks the options of an eviction. */
export function resolveForce(options: ForceOptions, lockName: string): ForceOptions {
  checkOptions(options, forceOptionNames)
  const { owner, by } = options
  if ('owner' in options && !isOwner(owner)) throw notAnOwner('forceUnlock', owner, lockName)
  checkEvictor(by, lockName)
  return options
}

/** The error for what cannot be the owner to evict. */
export const notAnOwner = (method: string, given: unknown, lockName: string): InvalidArgumentError =>
  new InvalidArgumentError(
    `${method} needs an owner as inspect() shows it, '<clientId>:<n>', got ${shown(given)}`,
    { lockName },
  )

function checkEvictor(by: unknown, lockName: string): void {
  if (by === undefined || isEvictor(by)) return
  throw new InvalidArgumentError(`by must be a text of 1 to 200 printable characters, got ${shown(by)}`, {
    lockName,
  })
}
