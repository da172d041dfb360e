import { HoldfastQuorum, UnavailableError, type Holdfast, type Lease } from '@holdfast/core'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChaosClient } from './open-clients.js'
import { semaphoreSize, sizeOf, type ObjectName } from './objects.js'

/** A hold that a process has while nothing moves, for the comparison of counts. */
export interface RestHold {
  readonly owner: string
  /** The count or the permits that the server must have of it. */
  readonly atClient: number
  /** Whether the client still says so. */
  isHeld(): boolean
  leave(): Promise<void>
}

/** Longer than a busy machine stalls. A session may end even so. */
const options = { leaseMs: 60_000 }

/**
 * Takes an object alone, so that whatever else is left of it has gone, and enters or gives back as often as `count` says.
 * `null` for objects of which no server has a count.
 */
export async function holdAtRest(
  client: ChaosClient,
  object: ObjectName,
  name: string,
  count: number,
): Promise<RestHold | null> {
  if (client instanceof HoldfastQuorum) return null
  switch (object) {
    case 'latch':
    case 'quorum':
      return null
    case 'lock':
    case 'hand-over':
    case 'multi-lock':
      return holdLock(client, name, count)
    case 'read-write-lock':
      return holdReadWriteLock(client, name, count)
    case 'semaphore':
      return holdPermits(client, name, count)
  }
}

async function holdLock(client: Holdfast, name: string, count: number): Promise<RestHold> {
  const lock = client.getLock(name)
  const outer = await afterFaults(() => lock.lock(options))
  const leases = [outer]
  while (leases.length < count) leases.push(await outer.run(() => lock.lock()))
  return {
    owner: outer.owner,
    atClient: outer.holdCount,
    isHeld: () => outer.isHeld,
    leave: () => leaveAll(leases),
  }
}

/** A writer that reads, too; with an odd count it leaves the write lock first. */
async function holdReadWriteLock(client: Holdfast, name: string, count: number): Promise<RestHold> {
  const { read, write } = client.getReadWriteLock(name)
  const outer = await afterFaults(() => write.lock(options))
  const inner = await outer.run(() => read.lock(options))
  const isReader = count % 2 === 1
  if (isReader) await outer.unlock()
  return {
    owner: outer.owner,
    atClient: isReader ? 1 : sizeOf['read-write-lock'],
    isHeld: () => inner.isHeld,
    leave: () => leaveAll(isReader ? [inner] : [outer, inner]),
  }
}

/** All permits, of which some are given back again. A resize may still be in force that lets in more. */
async function holdPermits(client: Holdfast, name: string, count: number): Promise<RestHold> {
  const semaphore = client.getSemaphore(name, { permits: semaphoreSize })
  await afterFaults(() => semaphore.resize(semaphoreSize, { keepMs: options.leaseMs }))
  const lease = await afterFaults(() => semaphore.acquire({ ...options, permits: semaphoreSize }))
  await lease.release(Math.min(count, semaphoreSize) - 1)
  return {
    owner: lease.owner,
    atClient: lease.permits,
    isHeld: () => lease.isHeld,
    leave: () => afterFaults(() => lease.release(), isUnanswered),
  }
}

/** A client that closes waits for no longer than one command may take, and leaves the hold to its long lease. */
async function leaveAll(leases: readonly Lease[]): Promise<void> {
  for (const lease of [...leases].reverse()) await afterFaults(() => lease.unlock(), isUnanswered)
}

const isUnanswered = (error: unknown): boolean => error instanceof UnavailableError

/** A connection that the last fault refused may fail once more. */
async function afterFaults<T>(
  send: () => Promise<T>,
  isPassing: (error: unknown) => boolean = () => true,
): Promise<T> {
  for (let attemptsLeft = 100; ; attemptsLeft -= 1) {
    try {
      return await send()
    } catch (error) {
      if (attemptsLeft === 0 || !isPassing(error)) throw error
      await sleep(50)
    }
  }
}
