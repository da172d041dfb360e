import type { Contender, Leave, Session } from '../contender.js'
import type { Recording } from './recording.js'
import type { Tape } from './tape.js'

/** Has clients of a server go through one kind of cycle, and marks on the tape where cycles begin and end. */
export type Drive = (url: string, tape: Tape) => Promise<Recording>

const lockName = 'order:42'

/** After these the server has every script. */
const warmUpCycles = 10

/** A drive with one client, which has been in use. */
const driving =
  ({ open }: Pick<Contender, 'open'>, drive: (session: Session, tape: Tape) => Promise<Recording>): Drive =>
  async (url, tape) => {
    const session = await open(url)
    try {
      for (let n = 0; n < warmUpCycles; n += 1) await (await session.enter(lockName))()
      return await drive(session, tape)
    } finally {
      await session.close()
    }
  }

/** A lock is acquired and released, and no other client waits for it; that many others hold it too. */
export const undisturbed = (contender: Contender, cycles: number, others = 0): Drive =>
  driving(contender, async (session, tape) => {
    for (let n = 0; n < others; n += 1) await session.enter(lockName)
    await tape.begin()
    for (let n = 0; n < cycles; n += 1) await (await session.enter(lockName))()
    return await tape.end(cycles)
  })

/**
 * The one that has held the lock for longest releases it, which hands it to the first of that many waiters; then another
 * waiter queues up. A lock has one holder, a semaphore as many as it has permits.
 */
export const contended = (contender: Contender, waiters: number, cycles: number, holders = 1): Drive =>
  driving(contender, async (session, tape) => {
    const holding: Leave[] = []
    for (let n = 0; n < holders; n += 1) holding.push(await session.enter(lockName))
    const waiting: Promise<Leave>[] = []
    const handOver = async (): Promise<void> => {
      const left = holding.shift()?.()
      const next = waiting.shift()
      if (next) holding.push(await next)
      await left
    }
    await tape.begin()
    for (let n = 0; n < waiters; n += 1) waiting.push(session.enter(lockName))
    await tape.whenSent(waiters)
    await tape.begin()
    for (let n = 1; n <= cycles; n += 1) {
      await handOver()
      waiting.push(session.enter(lockName))
      // Otherwise the next release could overtake the request, and find one waiter less.
      await tape.whenSent(2 * n)
    }
    const recording = await tape.end(cycles)
    while (holding.length > 0) await handOver()
    return recording
  })
