import type { Session } from '../contender.js'

/** `count` cycles of one lock, each begun when the one before is over. Returns the time of one, in microseconds. */
export async function cycles(
  session: Session,
  { lock, count }: { readonly lock: string; readonly count: number },
): Promise<number> {
  const startedAt = process.hrtime.bigint()
  for (let n = 0; n < count; n += 1) {
    const leave = await session.enter(lock)
    await leave()
  }
  return Number(process.hrtime.bigint() - startedAt) / 1_000 / count
}
