import { until } from '@holdfast/testkit'

/** Waits until it is not called any more, for several of the shortest pauses between two polls. */
export async function untilQuiet(spy: {
  readonly mock: { readonly calls: readonly unknown[] }
}): Promise<void> {
  let before = -1
  await until(
    () => {
      const now = spy.mock.calls.length
      const isQuiet = now === before
      before = now
      return isQuiet
    },
    { everyMs: 4_000, timeoutMs: 30_000, what: 'the polls to end' },
  )
}
