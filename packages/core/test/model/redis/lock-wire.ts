import { scripts } from '../../../src/redis/scripts/generated.js'
import { judge, type LockAfter } from '../judge.js'
import { readReply, scriptOf, type ScriptName } from './calls.js'
import { readBack, readCommands } from './read-back.js'
import { restoreCommands, type Leftover } from './restore.js'
import type { Lua, Wire } from './script-runner.js'

export const lockLua: Lua<ScriptName> = new Map([
  ['acquire', scripts.lockAcquire.lua],
  ['setCount', scripts.lockSetCount.lua],
  ['release', scripts.lockRelease.lua],
  ['refresh', scripts.lockRefresh.lua],
  ['force', scripts.lockForce.lua],
])

const keyCounts = { acquire: 4, setCount: 1, release: 4, refresh: 3, force: 4 } as const

/** A lock in Redis. */
export const lockWire: Wire<ScriptName, LockAfter, Leftover> = {
  object: 'lock',
  plain: 'none',
  variants: [
    { leftover: 'stale entry', promise: 'expiry' },
    { leftover: 'expired tombstone', promise: 'expiry' },
  ],
  keyList: ({ main, queue, waiters, fence }) => [main, queue, waiters, fence],
  callOf(job, keys) {
    const { name, args } = scriptOf(job)
    return { name, args, keys: this.keyList(keys).slice(0, keyCounts[name]) }
  },
  restoreCommands,
  readCommands,
  readReply,
  readBack,
  judge,
}
