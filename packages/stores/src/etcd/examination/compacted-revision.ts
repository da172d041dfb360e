import { toError } from '../client/failures.js'
import * as kv from '../wire/kv.js'

/**
 * The revision of the last compaction; 0: there was none. etcd does not say it, but refuses reads of what came before: this halves
 * the range in which it is until it is found.
 */
export async function compactedRevision(
  call: (call: string, request: Buffer) => Promise<unknown>,
  prefix: string,
  revision: number,
): Promise<number> {
  const isThere = async (at: number): Promise<boolean> => {
    try {
      await call('KV/Range', kv.rangeAtRevision(prefix, at))
      return true
    } catch (error) {
      if (toError(error).message.includes('has been compacted')) return false
      throw error
    }
  }
  let [gone, there] = [0, revision]
  if (await isThere(1)) return 0
  while (there - gone > 1) {
    const middle = Math.floor((gone + there) / 2)
    if (await isThere(middle)) there = middle
    else gone = middle
  }
  return there
}
