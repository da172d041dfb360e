import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RedisBinary } from '../find/redis-binary.js'
import type { ScratchFolder } from '../process/reaper.js'
import { startLocalRedis } from '../server/local-redis.js'
import type { RedisServer } from '../server/redis-server.js'

export interface SentinelSettings {
  /** What the sentinels and their clients call the master. */
  readonly name: string
  readonly master: { readonly host: string; readonly port: number }
  /** How many sentinels must agree that the master is down. */
  readonly quorum: number
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
}

/**
 * How often sentinels do what, in milliseconds instead of some seconds.
 *
 * Pings: half the silence that counts, so that a new master has time to answer its first one. Were they much more
 * frequent, all sentinels would notice a death in the same instant, each vote for itself, and have to try again.
 * Publishing: after four such periods a sentinel sends back a master that it takes for a replica, and the sentinel that
 * leads a fail-over needs a second of them to announce the new master.
 */
const periods = (downAfterMs: number) => ({
  'INFO-PERIOD': 100,
  'PING-PERIOD': Math.ceil(downAfterMs / 2),
  'ASK-PERIOD': 100,
  'PUBLISH-PERIOD': 500,
  // How long a sentinel does nothing after it stood still itself.
  'TILT-PERIOD': 1_000,
})

/** Sentinels keep what they know in their configuration file, so it outlives restarts; `folder` holds it. */
export async function startSentinel(
  binary: RedisBinary,
  folder: ScratchFolder,
  id: number,
  settings: SentinelSettings,
): Promise<RedisServer> {
  const { name, master, quorum, downAfterMs, failoverTimeoutMs } = settings
  const configPath = join(folder.path, `sentinel-${String(id)}.conf`)
  const lines = [
    `sentinel monitor ${name} ${master.host} ${String(master.port)} ${String(quorum)}`,
    `sentinel down-after-milliseconds ${name} ${String(downAfterMs)}`,
    `sentinel failover-timeout ${name} ${String(failoverTimeoutMs)}`,
    // All replicas turn to the new master at once rather than one after another.
    `sentinel parallel-syncs ${name} 16`,
  ]
  await writeFile(configPath, `${lines.join('\n')}\n`)
  // The configuration file has to be the first argument, ahead of those that every server of ours gets.
  const launcherPath = join(folder.path, `sentinel-${String(id)}`)
  await writeFile(launcherPath, '#!/bin/sh\nexec "$REDIS_PROGRAM" "$SENTINEL_CONFIG" "$@"\n')
  await chmod(launcherPath, 0o700)
  const env = { ...binary.env, REDIS_PROGRAM: binary.path, SENTINEL_CONFIG: configPath }
  const sentinel = await startLocalRedis({ ...binary, path: launcherPath, env }, { args: ['--sentinel'] })
  try {
    await hurry(sentinel, downAfterMs)
    return sentinel
  } catch (error) {
    await sentinel.stop()
    throw error
  }
}

/** Makes a sentinel that has just started learn and act faster. Those before Redis 7 cannot, and only take longer. */
async function hurry(sentinel: RedisServer, downAfterMs: number): Promise<void> {
  try {
    await sentinel.call('SENTINEL', 'DEBUG', ...Object.entries(periods(downAfterMs)).flat())
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error
  }
}
