import { Holdfast } from '@holdfast/core'
import type { Recording } from '../recording.js'
import type { Drive } from './drive.js'
import { plainLocks, type Kind } from './kinds.js'

/**
 * A lock that was acquired before is acquired again, and released once.
 *
 * Each cycle has a lock of its own, acquired long enough ago that its lease must be extended. With one lock for all, it
 * would depend on the speed of the machine how often a millisecond has passed since the last time.
 */
export const nested =
  (cycles: number, kind: Kind = plainLocks): Drive =>
  async (url, tape) => {
    const client = new Holdfast({ redis: url })
    try {
      const locks = Array.from({ length: cycles }, (_, n) => kind.get(client, `order:${n}`))
      // From now on the server has every script.
      await locks[0]?.withLock(() => locks[0]?.withLock(() => undefined))
      let recording: Recording | undefined
      const innermost = async (): Promise<void> => {
        await tape.begin()
        for (const lock of locks) await lock.withLock(() => undefined)
        recording = await tape.end(cycles)
      }
      // The first lock comes first inside, too: it is the one that was acquired longest ago.
      await locks.reduceRight((inner, lock) => () => lock.withLock(inner), innermost)()
      if (!recording) throw new Error('the innermost function did not run')
      return recording
    } finally {
      await client.close()
    }
  }
