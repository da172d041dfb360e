import { setTimeout as pause } from 'node:timers/promises'
import { uniqueName } from '@holdfast/testkit'
import { quantile } from 'simple-statistics'
import type { Session } from '../contender.js'

export interface Contended {
  readonly entries: number
  readonly waitsMs: readonly number[]
}

export interface Contention {
  /** How long each contender holds the lock. */
  readonly holdMs: number
  readonly forMs: number
}

/** Has all sessions enter one lock over and over. Throws when two are inside at once. */
export async function contend(
  sessions: readonly Session[],
  { holdMs, forMs }: Contention,
): Promise<Contended> {
  const name = uniqueName('contended')
  const endAt = performance.now() + forMs
  const waitsMs: number[] = []
  let inside = 0
  await Promise.all(
    sessions.map(async (session) => {
      while (performance.now() < endAt) {
        const askedAt = performance.now()
        const release = await session.enter(name)
        waitsMs.push(performance.now() - askedAt)
        if (++inside > 1) throw new Error(`two are inside ${name}`)
        await pause(holdMs)
        inside--
        await release()
      }
    }),
  )
  return { entries: waitsMs.length, waitsMs }
}

/** One session enters a free lock over and over for that long; microseconds per cycle. */
export async function cycle(session: Session, forMs: number): Promise<number> {
  const name = uniqueName('cycle')
  const startedAt = performance.now()
  let cycles = 0
  while (performance.now() < startedAt + forMs) {
    const release = await session.enter(name)
    await release()
    cycles++
  }
  return (1_000 * (performance.now() - startedAt)) / cycles
}

export const percentile = (values: readonly number[], share: number): number => quantile([...values], share)
