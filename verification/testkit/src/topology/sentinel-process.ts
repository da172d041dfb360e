import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RedisBinary } from '../find/redis-binary.js'
import type { ScratchFolder } from '../process/reaper.js'
import { startLocalRedis } from '../server/local-redis.js'
import type { RedisServer } from '../server/redis-server.js'

export interface SentinelSettings {
  /** The name of the master among the sentinels and their clients. */
  readonly name: string
  readonly master: { readonly host: string; readonly port: number }
  /** How many sentinels must agree that the master is down. */
  readonly quorum: number
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
}

/**
 * The periods of sentinels, in milliseconds instead of seconds.
 *
 * Pings: half of `downAfterMs`, so that a new master has time to reply to its first one. If they were much more
 * frequent, all sentinels would notice a failure in the same instant, each vote for itself, and have to try again.
 * Publishing: after four such periods a sentinel demotes a master that it takes for a replica, and the sentinel that
 * leads a failover needs a second of them to announce the new master.
 */
const periods = (downAfterMs: number) => ({
  'INFO-PERIOD': 100,
  'PING-PERIOD': Math.ceil(downAfterMs / 2),
  'ASK-PERIOD': 100,
  'PUBLISH-PERIOD': 500,
  // How long a sentinel does nothing after a stall of its own.
  'TILT-PERIOD': 1_000,
})

/** Sentinels keep their state in their configuration file in `folder`, so it survives restarts. */
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
    // All replicas follow the new master at once rather than one after another.
    `sentinel parallel-syncs ${name} 16`,
  ]
  await writeFile(configPath, `${lines.join('\n')}\n`)
  // The configuration file must be the first argument, before the common ones.
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

/** Speeds up a newly started sentinel. Versions before Redis 7 do not support this, and are only slower. */
async function hurry(sentinel: RedisServer, downAfterMs: number): Promise<void> {
  try {
    await sentinel.call('SENTINEL', 'DEBUG', ...Object.entries(periods(downAfterMs)).flat())
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error
  }
}
