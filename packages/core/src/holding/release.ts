import { monotonicMs } from '../util/clock.js'
import { NotALockError, UnavailableError } from '../errors.js'
import type { LockKeys } from '../redis/keys.js'
import { pause, restMs } from '../util/backoff.js'
import type { CommandLink } from '../redis/connection/script-connection.js'
import type { LockCommands } from '../redis/commands.js'
import { faultOf } from '../redis/errors.js'
import type { ServerIdentity } from '../redis/server-identity.js'

/** What a release needs of its client. */
export interface ReleaseMeans {
  readonly link: CommandLink
  readonly commands: LockCommands
  readonly servers: ServerIdentity
  readonly commandTimeoutMs: number
}

export interface ReleaseOrder {
  readonly keys: LockKeys
  readonly owner: string
  /** The hold count wanted. */
  readonly count: number
  /** How long a late ask of this owner is refused; 0 when none can be on its way. */
  readonly goneMs: number
  /** The instant after which it no longer matters. */
  readonly until: number
  /** The server process that confirmed the hold, if known. */
  readonly runId: string | undefined
}

/** `unanswered`: Redis was silent until it no longer mattered. */
export type ReleaseOutcome = 'released' | 'not-held' | 'unanswered'

/**
 * Sends a release until it is answered, or until it no longer matters.
 *
 * "Not held" is a loss, unless this very release may have run before: it frees the lock, and it was repeated or its
 * connection broke under it. Then the first run was ours if the same server process still has the data and the hold could
 * not have expired yet. While that cannot be found out it is unknown, and in the end a loss.
 */
export async function sendRelease(means: ReleaseMeans, order: ReleaseOrder): Promise<ReleaseOutcome> {
  const { link, commands, servers } = means
  const { keys, owner, count, goneMs, until } = order
  let wasDenied = false
  for (let failures = 0; ;) {
    const breaks = link.breaks
    try {
      const timeoutMs = Math.max(1, Math.min(means.commandTimeoutMs, until - monotonicMs()))
      const answer = await commands.release(keys, { owner, count, goneMs }, timeoutMs)
      if (answer.kind === 'done') return 'released'
      if (answer.kind === 'foreign') throw notALock(keys, answer.type)
      wasDenied = true
      const mayHaveRunBefore = count === 0 && (failures > 0 || breaks !== link.breaks)
      const isExplained = mayHaveRunBefore && (await servers.isStill(order.runId, keys.lock))
      return isExplained && monotonicMs() < until ? 'released' : 'not-held'
    } catch (error) {
      const fault = faultOf(error, { lockName: keys.name, owner })
      if (!(fault instanceof UnavailableError)) throw fault
      if (monotonicMs() >= until) return wasDenied ? 'not-held' : 'unanswered'
      failures++
      await pause(Math.min(restMs(failures), Math.max(0, until - monotonicMs())))
    }
  }
}

/** The error for a key that holds something else. */
export const notALock = (keys: LockKeys, type: string): NotALockError =>
  new NotALockError(
    `the key ${keys.lock} is not a lock: it holds a ${type === 'hash' ? 'hash that never expires' : type}; ` +
      'nothing was changed. Use another name or prefix, or remove the key',
    { lockName: keys.name },
  )
