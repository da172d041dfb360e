import type { ScriptCall } from '../connection/script-connection.js'
import type { Keys } from '../keys.js'
import type { LatchCalls } from '../kinds/latch.js'
import { scripts } from './generated.js'
import { latchChannelOf } from './names.js'
import type { Publishing } from './publishing.js'

const keyList = ({ main, counted }: Keys): string[] => [main, counted]

/** Latches that are shared with Redisson's `RCountDownLatch`: a number, beside which we note who of us has counted down. */
export function redissonLatchCalls(publishing: Publishing): LatchCalls {
  const publishingOf = ({ main }: Keys): string[] => [publishing.command, latchChannelOf(main)]
  return {
    set(keys, { named, setter, count, keepMs }): ScriptCall {
      const args = [named, setter, count, keepMs, ...publishingOf(keys)]
      return { script: scripts.redissonLatchSet, keys: keyList(keys), args }
    },

    countDown(keys, { named, party }): ScriptCall {
      const args = [named, party, ...publishingOf(keys)]
      return { script: scripts.redissonLatchCountDown, keys: keyList(keys), args }
    },

    wait(waits): ScriptCall {
      const keys = waits.flatMap(({ address }) => keyList(address))
      const args = waits.map(({ awaited }) => awaited?.generation ?? 0)
      return { script: scripts.redissonLatchWait, keys, args }
    },

    delete(keys, { named }): ScriptCall {
      const args = [named, ...publishingOf(keys)]
      return { script: scripts.redissonLatchDelete, keys: keyList(keys), args }
    },

    inspect(keys, limit): ScriptCall {
      return { script: scripts.redissonLatchInspect, keys: keyList(keys), args: [limit] }
    },
  }
}
