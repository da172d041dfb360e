import { scripts, type ScriptName } from '../../../src/redis/scripts/generated.js'
import type { Lua, Wire } from '../redis/script-runner.js'
import type { Shared } from '../state.js'
import { judgeShared, type SharedAfter } from './judge.js'
import { readBack, readCommands } from './read-back.js'
import { findsEndedHold, looksAtQueue, runsAgain } from './differences.js'
import { restoreCommands, type Leftover } from './restore.js'
import { readReply, scriptCallOf } from './script-calls.js'

const names: readonly ScriptName[] = [
  'sharedAcquire',
  'sharedRelease',
  'sharedRenew',
  'sharedRefresh',
  'sharedForce',
  'sharedResize',
]

export const sharedLua: Lua<string> = new Map(names.map((name) => [name, scripts[name].lua]))

/** A read/write lock or semaphore in Redis. */
export const sharedWire = (shared: Shared): Wire<string, SharedAfter, Leftover> => ({
  object: 'semaphore',
  plain: 'none',
  variants: [
    { leftover: 'stale entry', promise: 'expiry', allows: looksAtQueue },
    { leftover: 'expired tombstone', promise: 'expiry' },
    { leftover: 'ended hold', promise: 'expiry', allows: findsEndedHold },
    { leftover: 'none', isRepeated: true, promise: 'repetition', allows: runsAgain },
  ],
  keyList: ({ main, ends, queue, waiters, fence, size }) => [main, ends, queue, waiters, fence, size],
  callOf(job, keys) {
    const { script, keys: declared, args } = scriptCallOf(shared, job, keys)
    return { name: script.name, keys: declared, args }
  },
  restoreCommands: (job, leftover, keys, nowMs) => restoreCommands(shared, job, leftover, keys, nowMs),
  readCommands,
  readReply,
  readBack,
  judge: (job, after) => judgeShared(shared, job, after),
})
