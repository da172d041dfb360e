import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What this process occupies, in bytes. */
export interface Weight {
  readonly heapBytes: number
  /** Buffers and the like, which live outside of the heap. */
  readonly externalBytes: number
  readonly rssBytes: number
}

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')
const isCollector = (value: unknown): value is () => void => typeof value === 'function'

/** Collects garbage, also what only a finalizer or the next turn sets free, and weighs what is left. */
export async function weigh(): Promise<Weight> {
  if (!isCollector(collect)) throw new Error('this Node offers no gc()')
  for (let n = 0; n < 4; n += 1) {
    collect()
    await nextTurn()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heapBytes: heapUsed, externalBytes: external, rssBytes: rss }
}
