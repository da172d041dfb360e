import { until } from '@holdfast/testkit'

/** Resolves when the list has at least that many entries. */
export async function untilLength(
  list: readonly unknown[],
  length: number,
  timeoutMs = 10_000,
): Promise<void> {
  await until(() => list.length >= length, {
    what: () => `${length} entries, there are ${list.length}`,
    timeoutMs,
  })
}
