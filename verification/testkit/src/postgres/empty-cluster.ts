import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Fills a folder with an empty database cluster. `initdb` makes one and takes more than a second of processor time; later calls,
 * of other processes as well, copy that one from the user's cache folder.
 *
 * @param initdb - its path; another version has another cluster
 * @param make - runs it on the folder
 */
export async function fillWithEmptyCluster(
  folder: string,
  initdb: string,
  make: () => Promise<void>,
): Promise<void> {
  const kept = await keptCluster(initdb)
  if (existsSync(kept)) return copyContent(kept, folder)
  await make()
  await mkdir(dirname(kept), { recursive: true })
  // Copied elsewhere and moved into place, so that concurrent runs never see an incomplete one.
  const fresh = await mkdtemp(`${kept}.`)
  try {
    await copyContent(folder, fresh)
    await rename(fresh, kept)
  } catch {
    // A concurrent run was faster.
    await rm(fresh, { recursive: true, force: true })
  }
}

async function keptCluster(initdb: string): Promise<string> {
  const { mtimeMs } = await stat(initdb)
  const version = createHash('sha256').update(`${initdb} ${mtimeMs}`).digest('hex').slice(0, 16)
  const cache = process.env['XDG_CACHE_HOME']
  return join(cache || join(homedir(), '.cache'), 'holdfast', `postgres-${version}`)
}

/** With the owners: the server's user has to get at its own files. */
const copyContent = async (from: string, to: string): Promise<void> => {
  await run('cp', ['-Rp', `${from}/.`, to])
}
