import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RedisServer } from '../../server/redis-server.js'
import { until } from '../../until.js'
import { faultUntil, type Fault } from './fault.js'
import { readInfo } from './read-info.js'
import { getConfig, setConfig } from './set-config.js'

/**
 * Snapshots fail: writes fail with MISCONF, reads work.
 *
 * Resolves once the server has noticed. Needs a server whose files are on this machine, and rejects for a container.
 * While the fault lasts the server cannot be restarted with its data.
 */
export async function failSnapshots(server: RedisServer): Promise<Fault> {
  if (server.pid === null) {
    throw new Error(`cannot break the snapshots of ${server.url}: this needs a running local process`)
  }
  const file = join(await getConfig(server, 'dir'), await getConfig(server, 'dbfilename'))
  // Writes are refused only if snapshots are configured; no test ever meets this rule.
  const restore = await setConfig(server, { 'stop-writes-on-bgsave-error': 'yes', save: '86400 1000000000' })
  const snapshot = async (wanted: 'ok' | 'err') => {
    await server.call('BGSAVE')
    await until(
      async () =>
        (await readInfo(server, 'persistence', 'rdb_bgsave_in_progress')) === '0' &&
        (await readInfo(server, 'persistence', 'rdb_last_bgsave_status')) === wanted,
      { what: `a snapshot of ${server.url} to end with ${wanted}` },
    )
  }
  // Not even root can rename a file over a folder.
  await rm(file, { force: true })
  await mkdir(file)
  const heal = async () => {
    await rm(file, { recursive: true, force: true })
    await snapshot('ok')
    await restore()
  }
  try {
    await snapshot('err')
  } catch (error) {
    await heal()
    throw error
  }
  return faultUntil(heal)
}
