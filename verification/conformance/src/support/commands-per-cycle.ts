import type { Suite } from './suite.js'

/** What the few clients of a scenario send by the clock, such as renewals and proofs of life, is less than this, all together. */
const byTheClockPerSecond = 5

/** How many commands reach the store for each of these cycles, without what clients send by the clock, however long they take. */
export async function commandsPerCycle(
  { engine }: Pick<Suite, 'engine'>,
  cycles: number,
  run: () => Promise<void>,
): Promise<number> {
  const count = async (): Promise<number> => (await engine.commandCount?.()) ?? 0
  const startedAt = performance.now()
  const before = await count()
  await run()
  const sent = (await count()) - before
  return (sent - (byTheClockPerSecond * (performance.now() - startedAt)) / 1_000) / cycles
}
