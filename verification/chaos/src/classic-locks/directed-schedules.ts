import type { Participant, ParticipantOptions } from './participant.js'

/** What a directed schedule runs on: it starts participants on one lock. */
export interface DirectedRun {
  start(name: string, options?: ParticipantOptions): Promise<Participant>
  /** Resolves with true once the waiting participant is inside, with false if the lock can never become free. */
  isServed(waiting: Participant): Promise<boolean>
}

/** Steps in a fixed order. What a step does depends on the lock; the order does not depend on any clock. */
export type DirectedSchedule = (run: DirectedRun) => Promise<void>

/** A dies inside; B requests the lock. */
export const crashInside: DirectedSchedule = async (run) => {
  const [a, b] = [await run.start('A'), await run.start('B')]
  await a.acquire()
  await a.crash()
  await b.acquire()
  if (await run.isServed(b)) await b.release()
}

/** A dies while it acquires, after Redis has granted the lock; B requests it. */
export const crashEntering: DirectedSchedule = async (run) => {
  const [a, b] = [await run.start('A'), await run.start('B')]
  await a.crashEntering()
  await b.acquire()
  if (await run.isServed(b)) await b.release()
}

/** A pauses during its release until B has the lock; the rest of A's release must not let C in beside B. */
export const lateRelease: DirectedSchedule = async (run) => {
  const [a, b, c] = [await run.start('A'), await run.start('B'), await run.start('C')]
  await a.acquire()
  await a.pauseReleasing()
  await b.acquire()
  await b.entered()
  await a.resume()
  await c.acquire()
  await b.release()
  await c.entered()
  await c.release()
}

/** A works within its lease; B, whose clock is an hour ahead, requests the lock. */
export const clockAhead: DirectedSchedule = async (run) => {
  const [a, b] = [await run.start('A'), await run.start('B', { clockAheadMs: 3_600_000 })]
  await a.acquire()
  await b.acquire()
  await a.release()
  await b.entered()
  await b.release()
}

/** A pauses while it works until B has the lock, then continues as if nothing had happened. */
export const pauseInside: DirectedSchedule = async (run) => {
  const [a, b] = [await run.start('A'), await run.start('B')]
  await a.acquire()
  await a.pauseInside()
  await b.acquire()
  await b.entered()
  await a.resume()
  await a.release()
  await b.release()
}

/** A works on without a connection to Redis until B has the lock. */
export const cutOffInside: DirectedSchedule = async (run) => {
  const [a, b] = [await run.start('A'), await run.start('B')]
  await a.acquire()
  await a.disconnect()
  await b.acquire()
  await b.entered()
  await a.resume()
  await a.release()
  await b.release()
}
