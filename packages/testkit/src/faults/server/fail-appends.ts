import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { RedisServer } from '../../server/redis-server.js'
import { until } from '../../until.js'
import { faultUntil, type Fault } from './fault.js'
import { readInfo } from './read-info.js'
import { setConfig } from './set-config.js'

const run = promisify(execFile)

/**
 * A disk that takes no more of the append-only file: writes are answered with MISCONF, reads work.
 *
 * Resolves once the server has noticed. The disk is a limit on file sizes, set from outside by util-linux's prlimit
 * without any right of root: Linux only, and for a local server. Rejects elsewhere. Persistence is on while the fault
 * lasts and as before afterwards.
 *
 * @param key - any that this server serves and nobody uses; matters in a Cluster only
 */
export async function failAppends(server: RedisServer, key = 'holdfast:testkit:append'): Promise<Fault> {
  const { pid } = server
  if (process.platform !== 'linux' || pid === null) {
    throw new Error(`cannot fill the disk of ${server.url}: that takes a local process on Linux`)
  }
  const prlimit = async (limit: string) => {
    await run('prlimit', ['--pid', String(pid), `--fsize=${limit}`])
  }
  const restore = await setConfig(server, { appendfsync: 'everysec', appendonly: 'yes' })
  const persistence = (field: string) => readInfo(server, 'persistence', field)
  try {
    await until(async () => (await persistence('aof_rewrite_in_progress')) === '0', {
      what: `the first append-only file of ${server.url}`,
    })
    // The colon leaves the hard limit alone, or nobody but root could lift the soft one again.
    await prlimit('0:')
    await until(
      async () => {
        // Only a write makes the server try. A key that is gone at once is the least of them.
        await server.call('SET', key, '', 'PX', 1).catch(() => undefined)
        return (await persistence('aof_last_write_status')) === 'err'
      },
      { what: `${server.url} to notice the full disk`, everyMs: 50 },
    )
  } catch (error) {
    await prlimit('unlimited:').catch(() => undefined)
    await restore()
    throw error
  }
  return faultUntil(async () => {
    // A restarted server has no limit.
    if (server.pid === pid) await prlimit('unlimited:')
    await until(async () => (await persistence('aof_last_write_status')) === 'ok', {
      what: `${server.url} to write its append-only file again`,
    })
    await restore()
  })
}
