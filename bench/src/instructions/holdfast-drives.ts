import { Holdfast, type HoldfastOptions, type Lock } from '@holdfast/core'
import { until } from '@holdfast/testkit'
import type { Drive } from './drives.js'
import { repeated, type Recording, type Sent } from './recording.js'
import type { Tape } from './tape.js'

/** A kind of object, as its users see it, and as the scripts do that handle many of its holds or queue entries at once. */
export interface Kind {
  readonly get: (client: Holdfast, name: string) => Lock
  readonly keysPerHold: number
  readonly keysPerEntry: number
}

export const plainLocks: Kind = {
  get: (client, name) => client.getLock(name),
  keysPerHold: 1,
  keysPerEntry: 3,
}

export const writeLocks: Kind = {
  get: (client, name) => client.getReadWriteLock(name).write,
  keysPerHold: 2,
  keysPerEntry: 5,
}

export const readLocks: Kind = { ...writeLocks, get: (client, name) => client.getReadWriteLock(name).read }

/** A call for many holds or queue entries at once, which a client makes periodically. */
export interface Batch {
  /** How many holds or queue entries. */
  readonly size: number
  /** How often the replay makes the call. */
  readonly times: number
  /** The period is a third of it. Nothing may expire before a replay has come to the call. */
  readonly watchdogTimeoutMs: number
}

const driving =
  (
    options: Omit<HoldfastOptions, 'redis'>,
    drive: (client: Holdfast, tape: Tape) => Promise<Recording>,
  ): Drive =>
  async (url, tape) => {
    const client = new Holdfast({ redis: url, ...options })
    try {
      return await drive(client, tape)
    } finally {
      await client.close()
    }
  }

const named = ({ get }: Kind, client: Holdfast, count: number): Lock[] =>
  Array.from({ length: count }, (_, n) => get(client, `order:${n}`))

/**
 * A lock that was acquired before is acquired again, and released once.
 *
 * Each cycle has a lock of its own, acquired long enough ago that its lease must be extended. With one lock for all, it
 * would depend on the speed of the machine how often a millisecond has passed since the last time.
 */
export const nested = (cycles: number, kind: Kind = plainLocks): Drive =>
  driving({}, async (client, tape) => {
    const locks = named(kind, client, cycles)
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
  })

/** The watchdog renews all holds of one client in one call. A cycle is the renewal of one hold. */
export const renewal = (batch: Batch, kind: Kind = plainLocks): Drive =>
  driving({ watchdogTimeoutMs: batch.watchdogTimeoutMs }, async (client, tape) => {
    await Promise.all(named(kind, client, batch.size).map((lock) => lock.lock()))
    return await recordBatch(tape, batch, kind.keysPerHold)
  })

/**
 * One call refreshes the queue entries of all waiters of one client, which are evenly distributed over that many locks. A
 * cycle is the refresh of one entry.
 */
export const refresh = (batch: Batch, lockCount: number, kind: Kind = plainLocks): Drive => {
  const { size, watchdogTimeoutMs } = batch
  return driving({ watchdogTimeoutMs, maxWaiters: size }, async (client, tape) => {
    const giveUp = new AbortController()
    let queued = 0
    client.on('waiting', () => (queued += 1))
    const locks = named(kind, client, lockCount)
    await Promise.all(locks.map((lock) => lock.lock()))
    const waits = Array.from({ length: size / lockCount }, () =>
      locks.map((lock) => lock.lock({ signal: giveUp.signal })),
    ).flat()
    const ended = Promise.allSettled(waits)
    await until(() => queued === size, { what: 'all waiters to queue', timeoutMs: 60_000 })
    const recording = await recordBatch(tape, batch, kind.keysPerEntry)
    giveUp.abort()
    await ended
    return recording
  })
}

/**
 * Records the call of a script with so many keys for each hold or queue entry. The second one: the first may find that the
 * server lacks the script.
 */
async function recordBatch(tape: Tape, { size, times }: Batch, keysEach: number): Promise<Recording> {
  const isCall = ({ words: [name = '', , keys] }: Sent): boolean =>
    name.toLowerCase() === 'evalsha' && keys === String(size * keysEach)
  await tape.begin()
  await tape.whenSent(2, isCall)
  return repeated(await tape.end(size), isCall, size, times)
}
