import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What this process occupies, in bytes. */
export interface Weight {
  readonly heapBytes: number
  /** Buffers and other memory outside the heap. */
  readonly externalBytes: number
  readonly rssBytes: number
}

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')
const isCollector = (value: unknown): value is () => void => typeof value === 'function'

/** Collects garbage, including what finalizers or the next turn release, and measures what is left. */
export async function weigh(): Promise<Weight> {
  if (!isCollector(collect)) throw new Error('this Node.js has no gc()')
  for (let n = 0; n < 4; n += 1) {
    collect()
    await nextTurn()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heapBytes: heapUsed, externalBytes: external, rssBytes: rss }
}
