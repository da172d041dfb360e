import {
  handedOver,
  handedOverWithFault,
  resized,
  three,
  two,
  twoWithFault,
  type Mistake,
} from '@holdfast/model'
import type { ScriptName } from '../../src/redis/scripts/generated.js'

/** Mistakes in the scripts of locks that no single change of a condition or statement makes. */
export const lockDesignMistakes: readonly Mistake<ScriptName>[] = [
  {
    mistake: 'counts by increment',
    breaks: 'count',
    bounds: twoWithFault,
    only: 'lockSetCount',
    from: `replace('HSET', lockKey, owner, count)`,
    to: `call('HINCRBY', lockKey, owner, count == '1' and -1 or 1)`,
  },
  {
    mistake: 'admits an owner only once',
    breaks: 'quiet',
    bounds: two,
    only: 'lockAcquire',
    from: `local newHolder, newLeaseMs = owner, leaseMs`,
    to: `if redis.call('EXISTS', fenceKey) == 1 then\nreturn '1 ' .. nowText .. ' 0 another'\nend\nlocal newHolder, newLeaseMs = owner, leaseMs`,
  },
  {
    mistake: 'releases the lock of another owner',
    breaks: 'count',
    bounds: two,
    only: 'lockRelease',
    from: `redis.pcall('HDEL', lockKey, owner) == 1`,
    to: `call('DEL', lockKey) == 1`,
  },
  {
    mistake: 'serves the last in the queue first',
    breaks: 'order',
    bounds: three,
    only: 'lockRelease',
    from: `call('LPOP', queueKey)`,
    to: `call('RPOP', queueKey)`,
  },
  {
    mistake: 'counts tokens instead of reading the clock',
    breaks: 'token',
    bounds: two,
    from: `local token = nowText`,
    to: `local token = tostring((call('GET', fenceKey) or 0) + 1)\ntokenFloor = '0'`,
  },
  {
    mistake: 'takes over from whoever holds',
    breaks: 'exclusion',
    bounds: handedOver,
    only: 'lockTakeOver',
    from: `if holder ~= heir then`,
    to: `if holder == '' then`,
  },
  {
    mistake: 'forgets on a repetition that it handed over',
    breaks: 'ticket',
    bounds: handedOverWithFault,
    only: 'lockRelease',
    from: `mine = holder == heir`,
    to: ``,
  },
]

/** The same of read/write locks and semaphores. */
export const sharedDesignMistakes: readonly Mistake<ScriptName>[] = [
  {
    mistake: 'resizes again when the request is repeated',
    breaks: 'repetition',
    bounds: resized,
    only: 'sharedResize',
    from: `if lastId == id then`,
    to: `if lastId == id then\ncall('DEL', sizeKey)`,
  },
]
