import { enterAlone } from '../../contender.js'
import { readLock } from '../../contenders/shared-objects.js'
import { lockName, type Drive } from './drive.js'

/**
 * A writer releases, which lets that many readers in. A cycle is the entry of one of them. Each release finds a read/write
 * lock of its own, so that nothing but releases is counted.
 */
export const letIn =
  (readers: number, releases: number): Drive =>
  async (url, tape) => {
    const session = await readLock.open(url)
    try {
      const names = Array.from({ length: releases + 1 }, (_, n) => `${lockName}:${n}`)
      const leaves: Awaited<ReturnType<typeof session.enter>>[] = []
      for (const name of names) leaves.push(await enterAlone(session, name))
      await tape.begin()
      const waiting = names.map((name) => Array.from({ length: readers }, () => session.enter(name)))
      await tape.whenSent(names.length * readers)
      const release = async (index: number): Promise<void> => {
        await leaves[index]?.()
        await Promise.all(waiting[index] ?? [])
      }
      // From now on the server has every script.
      await release(0)
      await tape.begin()
      for (let n = 1; n <= releases; n += 1) await release(n)
      return await tape.end(releases * readers)
    } finally {
      await session.close()
    }
  }
