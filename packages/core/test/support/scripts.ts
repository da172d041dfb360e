import type { Redis } from 'ioredis'
import {
  scripts as ofRedisson,
  type ScriptName as NameOfRedisson,
} from '../../src/redis/redisson/generated.js'
import { scripts as native, type ScriptName as NativeName } from '../../src/redis/scripts/generated.js'

export type ScriptName = NativeName | NameOfRedisson

/** Those of all engines on Redis. */
export const scripts = { ...native, ...ofRedisson }

/** Whether a request, as the proxy shows it, runs that script on that lock. */
export const runs =
  (script: ScriptName, lockKey: string) =>
  (request: string): boolean => {
    const [command = '', sha1, , firstKey] = request.split(' ')
    return command.toLowerCase() === 'evalsha' && sha1 === scripts[script].sha1 && firstKey === lockKey
  }

/** How often a script ran, from what `countCommands` counted. */
export const runsOf = (counts: ReadonlyMap<string, number>, script: ScriptName): number => {
  const { sha1 } = scripts[script]
  return (counts.get(`evalsha:${sha1}`) ?? 0) + (counts.get(`eval:${sha1}`) ?? 0)
}

/** Has the server know all scripts, so that from the first call on each run is one command. */
export async function loadScripts(redis: Redis): Promise<void> {
  for (const { lua } of Object.values(scripts)) await redis.script('LOAD', lua)
}

/** Runs an ask by hand, as a packet that was under way for long would. */
export function askByHand(
  redis: Redis,
  lock: { key: string; queueKey: string; waitersKey: string; fenceKey: string },
  owner: string,
): Promise<unknown> {
  const keys = [lock.key, lock.queueKey, lock.waitersKey, lock.fenceKey]
  const args = [owner, 5_000, 0, '5000 5000 1 p holdfast:inbox:nobody']
  return redis.eval(scripts.lockAcquire.lua, keys.length, ...keys, ...args)
}
