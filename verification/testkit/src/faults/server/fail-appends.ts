import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { RedisServer } from '../../server/redis-server.js'
import { until } from '../../until.js'
import { faultUntil, type Fault } from './fault.js'
import { readInfo } from './read-info.js'
import { setConfig } from './set-config.js'

const run = promisify(execFile)

/**
 * A full disk under the append-only file: writes fail with MISCONF, reads work.
 *
 * Resolves once the server has noticed. The full disk is simulated by a limit on file sizes, which util-linux's prlimit
 * sets without root permissions: only on Linux and for a local server; rejects elsewhere. Persistence is on while the
 * fault lasts, and restored afterwards. Rejects on a replica, which writes nothing of its own.
 *
 * @param key - an unused key that this server serves; matters in a Cluster only
 */
export async function failAppends(server: RedisServer, key = 'holdfast:testkit:append'): Promise<Fault> {
  const { pid } = server
  if (process.platform !== 'linux' || pid === null) {
    throw new Error(`cannot fill the disk of ${server.url}: this needs a local process on Linux`)
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
    // The colon leaves the hard limit unchanged; otherwise only root could raise the soft one again.
    await prlimit('0:')
    let refusal: unknown
    await until(
      async () => {
        // Only a write makes the server try; a key that expires at once is the smallest.
        refusal = await server.call('SET', key, '', 'PX', 1).catch((error: unknown) => error)
        return isFromReplica(refusal) || (await persistence('aof_last_write_status')) === 'err'
      },
      { what: `${server.url} to notice the full disk`, everyMs: 50 },
    )
    if (isFromReplica(refusal)) throw refusal
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

const isFromReplica = (error: unknown): error is Error =>
  error instanceof Error && error.message.startsWith('READONLY')
