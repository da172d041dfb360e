import type { Actor, ActorOptions } from './actor.js'

/** Who plays, and on which lock. */
export interface Cast {
  enter(name: string, options?: ActorOptions): Promise<Actor>
  /** Resolves with true when the waiting actor is inside, with false when the lock can never become free. */
  isServed(waiting: Actor): Promise<boolean>
}

/** Steps in a fixed order. What a lock does at a step may differ; the order does not depend on any clock. */
export type Schedule = (cast: Cast) => Promise<void>

/** A dies inside; B asks. */
export const crashInside: Schedule = async (cast) => {
  const [a, b] = [await cast.enter('A'), await cast.enter('B')]
  await a.asks()
  await a.dies()
  await b.asks()
  if (await cast.isServed(b)) await b.leaves()
}

/** A dies on its way in, when Redis has the lock already; B asks. */
export const crashEntering: Schedule = async (cast) => {
  const [a, b] = [await cast.enter('A'), await cast.enter('B')]
  await a.diesEntering()
  await b.asks()
  if (await cast.isServed(b)) await b.leaves()
}

/** A stands still on its way out until B has the lock; what A does then must not let C in beside B. */
export const lateRelease: Schedule = async (cast) => {
  const [a, b, c] = [await cast.enter('A'), await cast.enter('B'), await cast.enter('C')]
  await a.asks()
  await a.stallsLeaving()
  await b.asks()
  await b.isInside()
  await a.goesOn()
  await c.asks()
  await b.leaves()
  await c.isInside()
  await c.leaves()
}

/** A works within its lease; B, whose clock is an hour ahead, asks. */
export const clockAhead: Schedule = async (cast) => {
  const [a, b] = [await cast.enter('A'), await cast.enter('B', { clockAheadMs: 3_600_000 })]
  await a.asks()
  await b.asks()
  await a.leaves()
  await b.isInside()
  await b.leaves()
}

/** A stands still at its work until B has the lock, then goes on as if nothing had happened. */
export const pauseInside: Schedule = async (cast) => {
  const [a, b] = [await cast.enter('A'), await cast.enter('B')]
  await a.asks()
  await a.stallsInside()
  await b.asks()
  await b.isInside()
  await a.goesOn()
  await a.leaves()
  await b.leaves()
}

/** A works on without a link to Redis until B has the lock. */
export const cutOffInside: Schedule = async (cast) => {
  const [a, b] = [await cast.enter('A'), await cast.enter('B')]
  await a.asks()
  await a.losesLink()
  await b.asks()
  await b.isInside()
  await a.goesOn()
  await a.leaves()
  await b.leaves()
}
