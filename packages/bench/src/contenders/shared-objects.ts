import type { Contender, Session } from '../contender.js'
import { holdfast, openClient } from './holdfast.js'
import { semaphoreOf as redisSemaphoreOf } from './redis-semaphore.js'

const settings = 'none: these are the defaults'

/** Sessions that take the read lock of a read/write lock. */
export const readLock: Contender = {
  library: 'read lock',
  configuration: 'best',
  settings,
  open(url) {
    const client = openClient({ redis: url })
    return sessionOf({
      async enter(name) {
        const lease = await client.getReadWriteLock(name).read.lock()
        return () => lease.unlock()
      },
      async enterAlone(name) {
        const lease = await client.getReadWriteLock(name).write.lock()
        return () => lease.unlock()
      },
      close: () => client.close(),
    })
  },
}

/** Sessions that take the write lock. */
export const writeLock: Contender = {
  library: 'write lock',
  configuration: 'best',
  settings,
  open(url) {
    const client = openClient({ redis: url })
    return sessionOf({
      async enter(name) {
        const lease = await client.getReadWriteLock(name).write.lock()
        return () => lease.unlock()
      },
      close: () => client.close(),
    })
  },
}

/** Sessions that take one permit of a semaphore. */
export const semaphoreOf = (permits: number): Contender => ({
  library: `semaphore of ${permits}`,
  configuration: 'best',
  settings,
  open(url) {
    const client = openClient({ redis: url })
    return sessionOf({
      async enter(name) {
        const lease = await client.getSemaphore(name, { permits }).acquire()
        return () => lease.release()
      },
      close: () => client.close(),
    })
  },
})

const sessionOf = (session: Session): Promise<Session> => Promise.resolve(session)

/** The sizes of the semaphores that are compared. */
export const semaphoreSizes = [1, 10, 100] as const

/** The lock, under the name that it has beside these objects. */
export const lock: Contender = { ...holdfast, library: 'lock' }

/** What is measured beside the lock: by title, in a worker. */
export const sharedContenders: readonly Contender[] = [
  lock,
  readLock,
  writeLock,
  ...semaphoreSizes.flatMap((permits) => [semaphoreOf(permits), redisSemaphoreOf(permits)]),
]
